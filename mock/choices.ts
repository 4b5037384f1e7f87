/** Behaviour of the mock where the contract leaves open what a provider does. */
export interface Choices {
  /** Path in front of every documented path, as part of the base address (contract, introduction). */
  prefix: string;
  /** Unit of `offset`: records, pages, or none (contract 4.2). */
  offsetCounts: 'records' | 'pages' | 'ignored';
  /** Customers on a page if the request has no `limit` (contract 4.2). */
  defaultLimit: number;
  /** Maximum number of customers on a page; a greater `limit` is reduced to it (contract 4.2 and 8). */
  maxLimit: number;
  /** True if every page has `defaultLimit` customers, whatever `limit` is (contract 4.2). */
  limitIgnored: boolean;
  /** Customers that are listed if `linked_source_type` is omitted (contract 4.2). */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of an error response (contract 7): an envelope with its 4xx status, an envelope with HTTP 200, or a web page
   * with a 4xx status. `http-500` and `silence` are providers that cannot cope with bad requests: they fail with 500, or
   * never respond.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Value that counts if a query repeats a parameter, as in `limit=1&limit=2` (contract 4). */
  repeatedParameter: 'first' | 'last';
  /** Response to `limit=0`: an empty page or an error (contract 4.2). */
  zeroLimit: 'empty' | 'rejected';
  /** Treatment of a path with a trailing slash (contract 4). */
  trailingSlash: 'rejected' | 'accepted';
  /** True if a request whose `Accept` does not name `application/json` gets 406 (contract, introduction). */
  strictAccept: boolean;
  /** True if values such as `type=Business` are rejected because of their letter case (contract 4). */
  caseSensitiveEnums: boolean;
  /** Treatment of query parameters that the operation does not document (contract 4). */
  unknownParameters: 'ignored' | 'rejected';
  /** Response headers to add to every answer (contract 2.1 names none). */
  headers: Record<string, string | string[]>;
}

/** Default choices: the provider that `npm run mock` plays. */
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
