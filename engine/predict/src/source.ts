/** Where a model's files are, as what reads them. */

import type { ReadModelFile } from "../../src/model/load.ts";
import { ModelFormatError } from "../../src/model/model-format-error.ts";
import { archiveFiles } from "./archive.ts";
import type { Body, ModelSource } from "./types.ts";

/** Reads what is at a URL. */
export type Fetch = (address: URL) => Promise<Uint8Array>;

const HOW =
  "Give the bytes of an archive, a Blob, a Response, a URL object, or {read(path)}; of a text, new URL(text).";

/** @throws TypeError for what is no source */
export async function filesOf(source: ModelSource, fetchBytes: Fetch): Promise<ReadModelFile> {
  const given: unknown = source;
  if (given instanceof Uint8Array) return archiveFiles(given);
  if (given instanceof ArrayBuffer) return archiveFiles(new Uint8Array(given));
  if (typeof given !== "object" || given === null) {
    throw new TypeError(
      `loadModel was given ${given === null ? "null" : `a ${typeof given}`}. ${HOW}`,
    );
  }
  if ("read" in source) return (path) => source.read(path);
  if ("arrayBuffer" in source) return archiveFiles(await bytesOf(source));
  if ("href" in source) return atAddress(new URL(source.href), fetchBytes);
  throw new TypeError(`loadModel was given an object that is no model. ${HOW}`);
}

async function atAddress(address: URL, fetchBytes: Fetch): Promise<ReadModelFile> {
  if (!address.pathname.endsWith("/")) return archiveFiles(await fetchBytes(address));
  return (path) => fetchBytes(within(address, path));
}

/** Paths are the model's own words, which lead nowhere else. */
function within(folder: URL, path: string): URL {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new ModelFormatError(`The model lists a file ${path}, which is no path in its folder.`);
  }
  const address = new URL(folder);
  address.pathname += parts.map(encodeURIComponent).join("/");
  return address;
}

/** Over the network, by the runtime's `fetch`. */
export const fetchBytes: Fetch = async (address) => bytesOf(await fetch(address));

async function bytesOf(body: Body): Promise<Uint8Array> {
  if (body.ok === false) {
    throw new Error(`The model cannot be fetched: the answer has status ${body.status}.`);
  }
  return new Uint8Array(await body.arrayBuffer());
}
