// Written by `npm run dev:docs` from spec/openapi.yaml: change the contract, not this file.

/** Name of an operation, its `operationId`. */
export type OperationId = keyof Operations;

/** Path and query parameters of an operation, by name. */
export type ParametersOf<Id extends OperationId> = Operations[Id]['parameters'];

/** Success body of an operation as the contract documents it. Nothing has checked that a response conforms. */
export type BodyOf<Id extends OperationId> = Operations[Id]['body'];

/** Parameters and success body of each operation. */
export interface Operations {
  /** Finds one card by its identifier and shows its limits and the state of the physical card. */
  getCard: {
    parameters: {
      /** Identifier of the card to find. Format: an identifier in UUID form, of hexadecimal digits. */
      id: string;
    };
    body: {
      /** Result code. A success carries 200. */
      code: 200;
      /** Result text; a success carries a short one. */
      message: string;
      data: {
        /** A payment card. */
        card: Card;
      };
    };
  };
  /** Lists customers; three optional parameters page the list and choose the kind of linked source. */
  listCustomers: {
    parameters: {
      /** How many customers to return. Default and maximum are not documented. Format: numeric text. */
      limit?: string;
      /** Where to begin. Whether it counts customers or pages is not documented. Format: numeric text. */
      offset?: string;
      /** The kind of source that the customers are linked to. */
      linked_source_type?: 'User' | 'Store';
    };
    body: {
      /** Result code. A success carries 200. */
      code: 200;
      /** Result text; a success carries a short one. */
      message?: string;
      data: {
        customers: Array<Customer>;
      };
    };
  };
  /** Finds one customer by the service's own identifier. */
  getCustomer: {
    parameters: {
      /** The `uuid` of the customer to find. */
      id: string;
    };
    body: {
      /** Result code. A success carries 200. */
      code: 200;
      /** Result text; a success carries a short one. */
      message: string;
      data: {
        /** Somebody who pays. */
        customer: Customer;
      };
    };
  };
  /** Lists the fee rules of digital wallet top-ups, for a business or for one user. */
  getFeeRules: {
    parameters: {
      /** For whom the rules are requested. */
      type: 'business' | 'user';
      /** The user whose rules are requested; needed when `type` is `user`. */
      user_id?: string;
    };
    body: {
      /** Result code. A success carries 200. */
      code: 200;
      /** Result text; a success carries a short one. */
      message: string;
      data: {
        fee_rules: Array<FeeRule>;
      };
    };
  };
}

/** A payment card. */
export interface Card {
  /** Identifier of the card. Format: an identifier in UUID form, of hexadecimal digits. */
  id: string;
  /** Title of the card, the name that it shows. */
  title: string;
  /** Type of the card. Its values are not documented. Expect other values than those seen. */
  type: string;
  /** Status of the card. Its values are not documented. Expect other values than those seen. */
  status: string;
  /** Code of the currency in which the card settles. */
  settlement_currency: string;
  /** First digits of the card number. Format: six digits, as a string. */
  first_6_digits: string;
  /** Last digits of the card number. Format: four digits, as a string. */
  last_4_digits: string;
  /** Reference of the card. Format: an identifier in UUID form, of hexadecimal digits. */
  reference_id: string;
  /** Time at which the card was created. Format: a valid ISO 8601 UTC timestamp with fractional seconds. */
  p_created_at: string;
  /** End of the validity of the card. Format: a month from 01 to 12 and a year, as MM/YY. */
  expiration_date: string;
  /** Spending limits of the card. */
  limits: Array<CardLimit>;
  /** State of the physical card. */
  physical_status: 'Idle' | 'Ordered' | 'Active' | 'Locked' | 'Suspended' | 'Terminated';
}

/** Spending limit of a card for a period. */
export interface CardLimit {
  /** Identifier of the limit. Seen in responses, but not promised. Format: an identifier in UUID form, of hexadecimal digits. */
  id?: string;
  /** The period that the limit applies to. */
  period: 'Lifetime' | 'Transaction' | 'Monthly' | 'Daily' | (string & {});
  /** The most that may be spent; sometimes written without decimals. Its currency is not documented. Format: a decimal number written as a string. */
  limit_amount: string;
  /** Amount that has been spent already. Format: a decimal number written as a string. */
  used_amount: string;
  /** Whether the limit is in force. */
  status?: 'Active' | 'Inactive';
}

/** Somebody who pays. */
export interface Customer {
  /** Name of the customer. */
  name?: string;
  /** E-mail address of the customer. */
  email?: string;
  /** Country code of the mobile phone. Format: a country code with a leading plus sign. */
  dial_code: string;
  /** Number of the mobile phone. */
  phone?: string;
  /** Number of the customer on the client's side, unique there. */
  reference_number: string;
  /** How the customer pays by default. Its values are not documented. Expect other values than those seen. */
  default_payment_method?: string;
  /** Identifier of the customer on the service's side. */
  uuid: string;
  /** The token that a customer has set to pay with by default. */
  default_payment_token?: PaymentToken;
}

/** The token that a customer has set to pay with by default. */
export interface PaymentToken {
  /** Means of payment that the token stands for. */
  token_type: 'CreditCard' | 'WechatPayAutoDebit' | 'AlipayAutoDebit';
  /** The token itself. */
  token: string;
  /** State of the token. Its values are not documented. Expect other values than those seen. */
  state: string;
  /** Whether this is the default token. */
  default: boolean;
  /** Code of the error that prevented the card from being bound. */
  error_code?: string;
  /** Text of the error that prevented the card from being bound. */
  error_msg?: string;
  /** The credit card behind a token. */
  credit_card?: CreditCard;
}

/** The credit card behind a token. */
export interface CreditCard {
  /** Number of the card. Whether it is masked is not documented. */
  number?: string;
  /** Month in which the card expires. */
  exp_month?: string;
  /** Year in which the card expires. */
  exp_year?: string;
  /** Name of the card's holder. */
  holder_name?: string;
  /** Brand of the card. */
  brand?: string;
  /** Currency in which the card is billed. */
  billing_currency?: string;
}

/** Fees of a top-up. */
export interface FeeRule {
  /** The part of the fee that is the same for each top-up. Its currency is not documented. Format: a decimal number written as a string. */
  fixed_fee: string;
  /** The part of the fee that grows with the amount. Whether 0.5 stands for 0.5 % or 50 % is not documented. Format: a decimal number written as a string. */
  percentage_fee: string;
  /** The user that the rule belongs to. */
  user_id?: string;
  /** Name of `user_id` in some responses. */
  p_user_id?: string;
  /** The business that the rule belongs to. */
  business_id?: string;
}
