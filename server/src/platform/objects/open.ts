/** Opens the object store of a configuration. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { FileObjectStore } from "./file-store.ts";
import type { ObjectStore } from "./object-store.ts";
import type { ObjectUrlSigner } from "./signed-url.ts";

export async function openObjectStore(
  config: Pick<Config, "objectStore" | "home">,
  signer: ObjectUrlSigner,
): Promise<ObjectStore> {
  if (config.objectStore.kind === "files") {
    return await FileObjectStore.open(join(config.home, "store"), signer);
  }
  // The SDK takes a while to load, and a home of files never needs it.
  const { S3ObjectStore } = await import("./s3-store.ts");
  return new S3ObjectStore(config.objectStore);
}
