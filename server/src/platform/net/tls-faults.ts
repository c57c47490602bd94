/** What a TLS connection that this process begins may end by before it is one, by the codes of Node and OpenSSL. */

/** Who the other end says that it is is not believed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

export const isUntrusted = (error: unknown): boolean => UNTRUSTED.has(codeOf(error));

/** Whether the other end is not believed, or does not speak TLS as this end does. */
export function isTlsFault(error: unknown): boolean {
  const code = codeOf(error);
  return UNTRUSTED.has(code) || code === "EPROTO" || code.startsWith("ERR_SSL_");
}
