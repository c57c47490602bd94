/** What the threads of large bodies do. */

import { task } from "@distillery/engine";
import { readJson } from "./json.ts";

export const read = task(
  ({ bytes, values }: { readonly bytes: Uint8Array; readonly values: number }) =>
    readJson(bytes, values),
);
