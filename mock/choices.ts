/** Behaviour of the mock that the contract (sections 4, 7 and 8) does not prescribe. */
export interface Choices {
  /** Path that precedes each documented path, such as `/gateway/v2`. */
  prefix: string;
  /** Unit of the query parameter `offset`: customers (`records`) or pages. With `ignored`, every page begins with the first customer. */
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page, even if `limit` is greater. */
  maxLimit: number;
  /** If true, the mock ignores the parameter `limit`, even an invalid one. A page then has at most `defaultLimit` customers. */
  limitIgnored: boolean;
  /** Value of `linked_source_type` for a request without this parameter. With `all`, such a request lists all customers. */
  defaultSource: 'all' | 'User' | 'Store';
  /** Form of an error such as 404: HTTP 404 (`status`), HTTP 200 with `"code": 404` (`http-200`), or no response in time (`silence`). */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Value that counts if a query repeats a parameter: 1 (`first`) or 2 (`last`) for `limit=1&limit=2`. */
  repeatedParameter: 'first' | 'last';
  zeroLimit: 'empty' | 'rejected';
  /** Response to a path with a trailing slash, such as `/customers/`. If `rejected`, the response is an error 404. */
  trailingSlash: 'rejected' | 'accepted';
  /** If true, a request whose header `Accept` is missing or does not contain `application/json` gets an error 406. */
  strictAccept: boolean;
  /** If true, a parameter value in other letter case is rejected: `type=Business`, because `business` is documented. */
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
