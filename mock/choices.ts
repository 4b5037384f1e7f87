/** The behaviour that the contract leaves open, as one provider might have settled it. */
export interface Choices {
  /** The path that the base address ends in (contract, introduction). */
  prefix: string;
  /** What one step of offset skips: a record, a page, or nothing (contract 4.2). */
  offsetCounts: 'records' | 'pages' | 'ignored';
  /** How many customers a page holds when the request does not say (contract 4.2). */
  defaultLimit: number;
  /** The longest page; a greater limit is cut to it (contract 4.2 and 8). */
  maxLimit: number;
  /** Whether every page has the default length, and limit is ignored (contract 4.2). */
  limitIgnored: boolean;
  /** Which customers are listed when linked_source_type is left out (contract 4.2). */
  defaultSource: 'all' | 'User' | 'Store';
  /**
   * An error response is an envelope with a 4xx, an envelope with a 200, or a web page with a 4xx; or a provider that
   * cannot cope with bad requests fails with a 500, or never answers (contract 7).
   */
  rejection: 'status' | 'http-200' | 'html' | 'http-500' | 'silence';
  /** Which of two values of one parameter counts (contract 4). */
  repeatedParameter: 'first' | 'last';
  /** Whether a limit of zero is rejected rather than answered with an empty page (contract 4.2). */
  zeroLimit: 'empty' | 'rejected';
  /** Whether a path followed by a slash is the same path (contract 4). */
  trailingSlash: 'rejected' | 'accepted';
  /** Whether a request that does not name application/json in Accept gets a 406 (contract, introduction). */
  strictAccept: boolean;
  /** Whether a documented value of a parameter must be written exactly so (contract 4). */
  caseSensitiveEnums: boolean;
  /** How the mock treats a query parameter that the operation does not have (contract 4). */
  unknownParameters: 'ignored' | 'rejected';
  /** Response headers sent besides those of the answer itself (contract 2.1 names none). */
  headers: Record<string, string | string[]>;
}

/** The provider that the mock plays by default. */
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
