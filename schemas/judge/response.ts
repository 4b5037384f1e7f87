/** Response to a request, as received from the target or read from a recording. */
export interface HttpResponse {
  status: number;
  /** Header values, keyed by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Bytes of the body after decompression. */
  body: Uint8Array;
}
