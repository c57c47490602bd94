/**
 * The files of the built console (`server/console/dist`): its page and what that loads. They are read anew for
 * each request, so that a build that ends while the service runs is what the next visit gets.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { errorCode } from "../../../platform/db/sql.ts";

/** Content codings that the build leaves files in, the one that is preferred first. */
const CODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".woff2": "font/woff2",
};

/** No folder, and nothing that is hidden. */
const NAME = /^[\w-][\w.-]*$/;

export interface BuiltFile {
  readonly content: Buffer;
  readonly type: string;
  /** Null where the content is the file as it is. */
  readonly coding: string | null;
  /** Strong: of these bytes in this coding. */
  readonly etag: string;
}

/**
 * @param name of a file that lies directly in the folder
 * @param accepted the `Accept-Encoding` of the request; absent = as it is
 * @returns null where there is no such file
 */
export async function readBuiltFile(
  folder: string,
  name: string,
  accepted: string | undefined,
): Promise<BuiltFile | null> {
  const type = TYPES[extname(name)];
  if (!NAME.test(name) || type === undefined) return null;
  for (const { name: coding, suffix } of CODINGS) {
    if (!accepts(accepted, coding)) continue;
    const content = await contentOf(join(folder, name + suffix));
    if (content !== null) return { content, type, coding, etag: etagOf(content) };
  }
  const content = await contentOf(join(folder, name));
  return content === null ? null : { content, type, coding: null, etag: etagOf(content) };
}

/**
 * The page, whose build names files from where it lies itself: it is the answer at many addresses.
 *
 * @param assets where those files are, such as `/assets/`
 */
export async function readBuiltPage(
  folder: string,
  name: string,
  assets: string,
): Promise<BuiltFile | null> {
  const built = await readBuiltFile(folder, name, undefined);
  if (built === null) return null;
  const text = built.content.toString("utf8").replaceAll('"./assets/', `"${assets}`);
  const content = Buffer.from(text);
  return { ...built, content, etag: etagOf(content) };
}

const etagOf = (content: Buffer): string =>
  `"${createHash("sha256").update(content).digest("base64url")}"`;

async function contentOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}

/** RFC 9110 §12.5.3: named or covered by `*`, with a weight above 0. */
function accepts(header: string | undefined, coding: string): boolean {
  const weights = new Map(
    (header ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}
