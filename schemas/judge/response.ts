/** HTTP response, received from the target or read from a recording. */
export interface HttpResponse {
  status: number;
  /** Values of the headers, keyed by name in lower case, such as `content-type`. */
  headers: Readonly<Record<string, string>>;
  /** Body after decompression. */
  body: Uint8Array;
}
