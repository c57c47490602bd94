/**
 * `Idempotency-Key` on operations that create: the same key with the same request of the same caller replays the
 * first answer, with another request it is refused (422), while the first still runs it is a
 * conflict (409), which says when the key is free if the first has died. Only successes are kept; after a failure the
 * key is free again. What was made may be changed or gone when the answer is replayed: who repeats a request asks
 * what came of it, as Stripe's API and the IETF's draft (draft-ietf-httpapi-idempotency-key-header) have it.
 */
import { Problem, unprocessable } from "../../../platform/input/problem.ts";
import type { Answer } from "../routing/call.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { IdempotencyStore, StoredAnswer } from "./idempotency-store.ts";

/** The header of an answer that is that of a request before. */
export const REPLAYED = "idempotency-replayed";
const RENEWAL_MS = 15_000;

/**
 * Runs `operation` under its key, or answers in its stead.
 * @param scope names the operation, so that a key may serve once in each.
 * @param operation is told the key's epoch, which the ids of what it creates follow from
 */
export async function idempotently(
  store: IdempotencyStore,
  organizationId: string,
  scope: string,
  key: string,
  fingerprint: Fingerprint,
  operation: (epoch: string) => Promise<Answer>,
): Promise<Answer> {
  const claim = await store.claim(organizationId, scope, key);
  if (claim.state === "running") {
    throw new Problem("conflict", "A request with this Idempotency-Key is still running.", {
      headers: { "retry-after": String(claim.retryAfterS) },
    });
  }
  if (claim.state === "done") {
    if ((await fingerprint.digest()) !== claim.fingerprint) {
      throw unprocessable(
        ["header", "idempotency-key"],
        "this key was used before with another request, or by another caller",
      );
    }
    return replay(claim.answer);
  }
  // A renewal that fails leaves the claim to its lease; the operation itself goes on.
  const renewal = setInterval(() => {
    store.renew(organizationId, scope, key, claim.token).catch(() => undefined);
  }, RENEWAL_MS);
  renewal.unref();
  let answer: Answer;
  try {
    answer = await operation(claim.epoch);
  } catch (error) {
    await store.release(organizationId, scope, key, claim.token);
    throw error;
  } finally {
    clearInterval(renewal);
  }
  if (!("json" in answer)) {
    await store.release(organizationId, scope, key, claim.token);
    return answer;
  }
  const stored: StoredAnswer = {
    status: answer.status ?? 200,
    headers: answer.headers ?? {},
    body: JSON.stringify(answer.json),
  };
  const digest = await fingerprint.digest();
  await store.complete(organizationId, scope, key, claim.token, digest, stored);
  return answer;
}

const replay = (answer: StoredAnswer): Answer => ({
  status: answer.status,
  headers: { ...answer.headers, [REPLAYED]: "true" },
  body: answer.body,
  contentType: "application/json; charset=utf-8",
});
