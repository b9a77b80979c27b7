/** A request as it arrived, before anything about it is believed. */
export interface Arrival {
  request: Request;
  url: URL;
  pathParams: Record<string, string>;
  requestId: string;
  /** The client's address; null where none is known. */
  ip: string | null;
}
