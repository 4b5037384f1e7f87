/** Response to a request, as received. */
export interface HttpResponse {
  status: number;
  /** Values by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Decompressed bytes. */
  body: Uint8Array;
}
