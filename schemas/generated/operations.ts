// Written by `npm run dev:docs` from spec/openapi.yaml: do not edit.

/** Parameters and body of the documented success of each operation. */
export interface Operations {
  getCard: {
    parameters: {
      id: string;
    };
    body: {
      code: 200;
      message: string;
      data: {
        card: {
          id: string;
          title: string;
          type: string;
          status: string;
          settlement_currency: string;
          first_6_digits: string;
          last_4_digits: string;
          reference_id: string;
          p_created_at: string;
          expiration_date: string;
          limits: {
            id?: string;
            period: string;
            limit_amount: string;
            used_amount: string;
            status?: 'Active' | 'Inactive';
          }[];
          physical_status: 'Idle' | 'Ordered' | 'Active' | 'Locked' | 'Suspended' | 'Terminated';
        };
      };
    };
  };
  listCustomers: {
    parameters: {
      limit?: string;
      offset?: string;
      linked_source_type?: 'User' | 'Store';
    };
    body: {
      code: 200;
      message?: string;
      data: {
        customers: {
          name?: string;
          email?: string;
          dial_code: string;
          phone?: string;
          reference_number: string;
          default_payment_method?: string;
          uuid: string;
          default_payment_token?: {
            token_type: 'CreditCard' | 'WechatPayAutoDebit' | 'AlipayAutoDebit';
            token: string;
            state: string;
            default: boolean;
            error_code?: string;
            error_msg?: string;
            credit_card?: {
              number?: string;
              exp_month?: string;
              exp_year?: string;
              holder_name?: string;
              brand?: string;
              billing_currency?: string;
            };
          };
        }[];
      };
    };
  };
  getCustomer: {
    parameters: {
      id: string;
    };
    body: {
      code: 200;
      message: string;
      data: {
        customer: {
          name?: string;
          email?: string;
          dial_code: string;
          phone?: string;
          reference_number: string;
          default_payment_method?: string;
          uuid: string;
          default_payment_token?: {
            token_type: 'CreditCard' | 'WechatPayAutoDebit' | 'AlipayAutoDebit';
            token: string;
            state: string;
            default: boolean;
            error_code?: string;
            error_msg?: string;
            credit_card?: {
              number?: string;
              exp_month?: string;
              exp_year?: string;
              holder_name?: string;
              brand?: string;
              billing_currency?: string;
            };
          };
        };
      };
    };
  };
  getFeeRules: {
    parameters: {
      type: 'business' | 'user';
      user_id?: string;
    };
    body: {
      code: 200;
      message: string;
      data: {
        fee_rules: {
          fixed_fee: string;
          percentage_fee: string;
          user_id?: string;
          business_id?: string;
        }[];
      };
    };
  };
}

export type OperationId = keyof Operations;
export type ParametersOf<Id extends OperationId> = Operations[Id]['parameters'];
export type BodyOf<Id extends OperationId> = Operations[Id]['body'];
