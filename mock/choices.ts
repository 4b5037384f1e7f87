/** Behaviour of the mock that the contract (sections 4, 7 and 8) does not prescribe. */
export interface Choices {
  /** Prefix of every path, such as `/gateway/v2`. */
  prefix: string;
  offsetCounts: 'records' | 'pages' | 'ignored';
  defaultLimit: number;
  /** Greatest page length; a greater `limit` is reduced to it. */
  maxLimit: number;
  limitIgnored: boolean;
  /** Value of `linked_source_type` for a request without this parameter. */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * Form of error responses: `status` is JSON with the HTTP status of the error, `http-200` is HTTP 200 with `"code": 404`,
   * `html` a web page, and `http-500` HTTP 500 for every error; `silence` delays the response by an hour.
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
