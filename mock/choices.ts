/** How the mock behaves in what the contract leaves open (contract 4.2, 7 and 8). */
export interface Choices {
  /** Path such as `/gateway/v2` that the mock expects before each documented path, as a part of `{base_url}`. */
  prefix: string;
  /** What the parameter `offset` of the customers list counts: records, or pages; `ignored` lists from the start (contract 4.2). */
  offsetCounts: 'records' | 'pages' | 'ignored';
  /** Number of customers on a page if the request has no `limit` (contract 4.2 leaves the default open). */
  defaultLimit: number;
  /** Maximum number of customers on a page. A greater `limit` of a request is reduced to this number (contract 4.2 and 8). */
  maxLimit: number;
  /** True if every page has `defaultLimit` customers, whatever `limit` the request has (contract 4.2). */
  limitIgnored: boolean;
  /** Which customers the mock lists if a request has no `linked_source_type` (contract 4.2 leaves the result open). */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of the response to a rejected request, which contract 7 leaves open. `status`: the JSON envelope with a status such as HTTP 404.
   * `http-200`: the same envelope with HTTP 200. `html`: a web page with a status such as HTTP 404. `http-500`: the envelope with HTTP
   * 500, as from a provider that fails at bad requests. `silence`: no response within an hour.
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Which value the mock uses if a query repeats a parameter, as in `limit=1&limit=2` (contract 4 leaves this open). */
  repeatedParameter: 'first' | 'last';
  /** Response of the mock to `limit=0`: a page without customers, or an error (contract 4.2 leaves this open). */
  zeroLimit: 'empty' | 'rejected';
  /** Whether the mock rejects or accepts a documented path with a slash at its end (contract 4 leaves this open). */
  trailingSlash: 'rejected' | 'accepted';
  /** True if the mock responds with HTTP 406 to a request whose header `Accept` does not name `application/json`. */
  strictAccept: boolean;
  /** True if the mock rejects documented values in another letter case, such as `type=Business` (contract 4.4 lists `business`). */
  caseSensitiveEnums: boolean;
  /** Whether the mock ignores or rejects query parameters that the contract does not list for the operation (contract 4). */
  unknownParameters: 'ignored' | 'rejected';
  /** Headers that the mock adds to every response (contract 2.1 names none). */
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
