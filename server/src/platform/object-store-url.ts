/** Where objects are kept, as `OBJECT_STORE_URL` says it. */

import { StartupError } from "./startup-error.ts";

/** Where objects are kept. */
export type ObjectStoreLocation =
  | { readonly kind: "files" }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      /** Key prefix without slashes at its ends; empty for the bucket itself. */
      readonly prefix: string;
      readonly endpoint?: string;
      readonly region?: string;
      readonly forcePathStyle: boolean;
    };

const OBJECT_STORE_FORM =
  "OBJECT_STORE_URL must be s3://bucket/prefix, with endpoint, region and pathStyle (1 or 0) as optional query parameters";

/**
 * `s3://bucket/prefix?endpoint=…&region=…&pathStyle=1`; absent = files under home.
 *
 * @throws StartupError
 */
export function parseObjectStoreUrl(value: string | undefined): ObjectStoreLocation {
  if (value === undefined) return { kind: "files" };
  const parsed = URL.parse(value);
  if (parsed === null || parsed.protocol !== "s3:") throw new StartupError(OBJECT_STORE_FORM);
  if (parsed.username !== "" || parsed.password !== "") {
    throw new StartupError(
      "OBJECT_STORE_URL must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or role",
    );
  }
  const bucket = parsed.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new StartupError(OBJECT_STORE_FORM);
  for (const name of parsed.searchParams.keys()) {
    if (!["endpoint", "region", "pathStyle"].includes(name)) {
      throw new StartupError(`${OBJECT_STORE_FORM}; "${name}" is not one of them`);
    }
  }
  const endpoint = parsed.searchParams.get("endpoint");
  const endpointUrl = endpoint === null ? null : URL.parse(endpoint);
  if (endpoint !== null && !["http:", "https:"].includes(endpointUrl?.protocol ?? "")) {
    throw new StartupError("OBJECT_STORE_URL must have an http or https URL as its endpoint");
  }
  const pathStyle = parsed.searchParams.get("pathStyle");
  const region = parsed.searchParams.get("region");
  return {
    kind: "s3",
    bucket,
    prefix: decodeURIComponent(parsed.pathname).replace(/^\/+|\/+$/g, ""),
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    forcePathStyle: pathStyle === null ? endpoint !== null : pathStyle === "1",
  };
}
