/** The service as the console calls it: the typed client, signed in by the session's cookie. */

import { type Client, createClient } from "@distillery/client";
import { SERVICE_URL } from "./base.ts";

/** Proves to the service that a change comes from this page (the cookie alone proves nothing of it). */
let csrfToken: string | null = null;

export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Told when the service no longer knows the session. */
let onSignedOut: () => void = () => {};

export function whenSignedOut(told: () => void): void {
  onSignedOut = told;
}

async function fetchInSession(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  const asked = csrfToken;
  const response = await fetch(input, { ...init, credentials: "same-origin" });
  // A session that began meanwhile has not ended.
  if (response.status === 401 && csrfToken === asked) onSignedOut();
  return response;
}

export const client: Client = createClient({
  url: SERVICE_URL,
  fetch: fetchInSession,
  // Uploads that tell how far they are go past `fetch`, and need it too.
  headers: () => (csrfToken === null ? {} : { "x-csrf-token": csrfToken }),
});

/**
 * The JSON of an operation that is no procedure (rows of queries and predictions, uploads).
 *
 * @param path such as `/v1/models/{model_id}/predict`
 * @throws {ServiceError} where the service refuses it
 */
export async function ask<Answer>(
  path: string,
  {
    method = "GET",
    body,
    signal,
  }: {
    readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Answer> {
  const response = await client.request(path, {
    method,
    signal,
    ...(body === undefined ? {} : { json: body }),
  });
  return response.json();
}
