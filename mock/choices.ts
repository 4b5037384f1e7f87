/** Behaviour of the mock that the contract leaves open (sections 4, 7 and 8). */
export interface Choices {
  /** Prefix of every path, such as `/gateway/v2`. */
  prefix: string;
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page. The mock reduces a greater `limit` to `maxLimit`. */
  maxLimit: number;
  limitIgnored: boolean;
  /** Default value of the query parameter `linked_source_type`. With `all`, the mock does not filter the customers by default. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of error responses, for example for an unknown card.
   * - `status` sends JSON with the HTTP status of the error, such as 404.
   * - `http-200` sends JSON with HTTP 200 and `"code": 404`.
   * - `html` sends a web page with the HTTP status of the error.
   * - `http-500` sends JSON with HTTP 500 for every error.
   * - `silence` sends the response only after an hour.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  repeatedParameter: 'first' | 'last';
  zeroLimit: 'empty' | 'rejected';
  trailingSlash: 'rejected' | 'accepted';
  strictAccept: boolean;
  caseSensitiveEnums: boolean;
  unknownParameters: 'ignored' | 'rejected';
  headers: Record<string, string | string[]>;
}

export const defaultChoices: Choices = {
  prefix: '',
  offsetCounts: 'records',
  defaultLimit: 20,
  maxLimit: 100,
  limitIgnored: false,
  defaultSource: 'all',
  rejection: 'status',
  repeatedParameter: 'last',
  zeroLimit: 'empty',
  trailingSlash: 'rejected',
  strictAccept: false,
  caseSensitiveEnums: true,
  unknownParameters: 'ignored',
  headers: {},
};
