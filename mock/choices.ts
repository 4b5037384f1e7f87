/** Behaviour of the mock in what the contract leaves open (contract 4, 7 and 8). */
export interface Choices {
  /** Path before each documented path, as a part of `{base_url}`: `/gateway/v2`. */
  prefix: string;
  /** Meaning of `offset` in the customers list. `ignored`: every page begins with the first customer. */
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page, to which a greater `limit` is reduced. */
  maxLimit: number;
  /** True if every page has `defaultLimit` customers, whatever `limit` the request has. */
  limitIgnored: boolean;
  /** Customers that the mock lists if a request has no `linked_source_type`. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of the response to a rejected request (contract 7). `status`: envelope with a status such as HTTP 404. `http-200`: the same
   * envelope with HTTP 200. `html`: web page with a status such as HTTP 404. `http-500`: envelope with HTTP 500. `silence`: response after
   * an hour.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Value that counts if a query repeats a parameter, as in `limit=1&limit=2`. */
  repeatedParameter: 'first' | 'last';
  /** Response to `limit=0`: a page without customers, or an error. */
  zeroLimit: 'empty' | 'rejected';
  /** Response to a documented path with a slash at its end. */
  trailingSlash: 'rejected' | 'accepted';
  /** True if a request whose header `Accept` lacks `application/json` gets HTTP 406. */
  strictAccept: boolean;
  /** True if a documented value in another letter case, such as `type=Business`, is rejected. */
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
