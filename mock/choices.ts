/** Behaviour of the mock that the contract (sections 4, 7 and 8) does not prescribe. */
export interface Choices {
  /** Path that precedes each documented path, such as `/gateway/v2`. */
  prefix: string;
  /** What `offset` of the customers list counts. `ignored`: every page begins with the first customer. */
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page, even if `limit` is greater. */
  maxLimit: number;
  /** If true, every page has `defaultLimit` customers, regardless of `limit`. */
  limitIgnored: boolean;
  /** Source of the listed customers if a request has no `linked_source_type`. `all`: customers of any source. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of an error response (contract 7). `status`: JSON with the HTTP status of the error, such as 404. `http-200`, `http-500`:
   * JSON with HTTP 200 or 500. `html`: HTML page with the HTTP status of the error. `silence`: as `status`, but an hour later.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Which value counts if a query repeats a parameter, as in `limit=1&limit=2`. */
  repeatedParameter: 'first' | 'last';
  zeroLimit: 'empty' | 'rejected';
  /** Response to a path with a trailing slash, such as `/customers/`. `rejected`: HTTP 404. */
  trailingSlash: 'rejected' | 'accepted';
  /** If true, a request whose header `Accept` does not contain `application/json` gets HTTP 406. */
  strictAccept: boolean;
  /** If true, `type=Business` is rejected, because the documented value is `business`. */
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
