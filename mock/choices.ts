/** Behaviour of the mock where the contract (4, 7 and 8) leaves the behaviour of a provider open. */
export interface Choices {
  /** Path before `/svc/…` and `/api/…`, such as `/gateway/v2`, as if a gateway stood before the mock. */
  prefix: string;
  /** Unit of `offset` in the customers list. `ignored`: every page begins with the first customer. */
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page. A greater `limit` is reduced to it. */
  maxLimit: number;
  /** If true, every page has `defaultLimit` customers, regardless of `limit`. */
  limitIgnored: boolean;
  /** Customers that the list contains if the request has no `linked_source_type`. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of the response to a rejected request (contract 7). `status`: envelope with a status such as HTTP 404.
   * `http-200`: the envelope with HTTP 200. `html`: web page with a status such as HTTP 404. `http-500`: envelope
   * with HTTP 500. `silence`: response after an hour.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Value that applies if a query repeats a parameter, as in `limit=1&limit=2`. */
  repeatedParameter: 'first' | 'last';
  /** Response to `limit=0`: a page without customers, or an error. */
  zeroLimit: 'empty' | 'rejected';
  /**
   * Response to a documented path with an additional slash at its end: HTTP 404, or the response without the slash.
   */
  trailingSlash: 'rejected' | 'accepted';
  /** If true, a request whose header `Accept` does not contain `application/json` gets HTTP 406. */
  strictAccept: boolean;
  /** If true, a documented value in another letter case, such as `type=Business`, is rejected. */
  caseSensitiveEnums: boolean;
  unknownParameters: 'ignored' | 'rejected';
  /** Headers that are added to each response. */
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
