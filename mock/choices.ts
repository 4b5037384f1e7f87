/** Behaviour of the mock where the contract (4, 7 and 8) leaves the behaviour of a provider open. */
export interface Choices {
  /** Path before `/svc/…` and `/api/…`, such as `/gateway/v2`, as behind a gateway. */
  prefix: string;
  /** Unit of `offset` in the customers list. `ignored`: every page begins with the first customer. */
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Maximum number of customers on a page. A greater `limit` is reduced to it. */
  maxLimit: number;
  /** If true, every page has `defaultLimit` customers, regardless of `limit`. */
  limitIgnored: boolean;
  /** Value of `linked_source_type` for requests without this parameter. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Response to a rejected request (contract 7). `status`: envelope with a status such as HTTP 404. `http-200` and `http-500`:
   * envelope with that status. `html`: web page with a status such as HTTP 404. `silence`: response after an hour.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Value that applies in a query such as `limit=1&limit=2`. */
  repeatedParameter: 'first' | 'last';
  zeroLimit: 'empty' | 'rejected';
  /** Response to a documented path with an additional slash at its end. `rejected`: HTTP 404. */
  trailingSlash: 'rejected' | 'accepted';
  /** If true, a request whose header `Accept` does not contain `application/json` gets HTTP 406. */
  strictAccept: boolean;
  /** If true, a documented value in another letter case, such as `type=Business`, is rejected. */
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
