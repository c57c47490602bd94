/** A file or a form as the body of a request, with what of it has left so far. */

import { failureOf, refusalOf } from "./service-error.ts";
import type { Transport } from "./transport.ts";

export interface UploadProgress {
  readonly sentBytes: number;
  /** Null where the data does not say how long it is. */
  readonly totalBytes: number | null;
}

export interface SendOptions {
  /** Such as the content type of a file; a form says its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told in browsers alone: elsewhere requests do not say how far they are. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * POSTs a body whose length is known.
 *
 * @param path under the base, such as `/v1/documents`
 * @throws {ServiceError} for an answer that is no success, and for none
 */
export async function send(
  transport: Transport,
  path: string,
  body: Uint8Array<ArrayBuffer> | Blob | FormData,
  { headers = {}, onProgress, signal }: SendOptions = {},
): Promise<Response> {
  if (!onProgress || typeof XMLHttpRequest === "undefined") {
    return transport.ask(path, { method: "POST", headers, body, signal });
  }
  const all = { ...(await transport.headers()), ...headers };
  const request = new XMLHttpRequest();
  const stop = (): void => request.abort();
  try {
    // Browsers send streams by HTTP/2 at most, and tell how far a request is only here.
    const response = await new Promise<Response>((resolve, reject) => {
      request.open("POST", `${transport.base}${path}`);
      for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
        onProgress({ sentBytes: loaded, totalBytes: lengthComputable ? total : null });
      request.onload = () =>
        resolve(new Response(request.responseText, { status: request.status }));
      request.onerror = () => reject(new TypeError("the connection failed"));
      request.onabort = () => reject(new TypeError("the request was stopped"));
      signal?.throwIfAborted();
      signal?.addEventListener("abort", stop);
      request.send(body);
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
