/**
 * URLs of objects, as connectors and listing tables have them: `s3://bucket/path/` and
 * `file:///folder/path/`. They are read by hand, because the URL standard's parser resolves `..`
 * and turns `\` about before anybody could refuse them.
 */

import { SourceUrlError } from "./source-error.ts";

export interface SourceUrl {
  readonly scheme: "s3" | "file";
  /** The bucket; empty for files. */
  readonly bucket: string;
  /** Percent-decoded, without a leading slash; a trailing slash stays. */
  readonly path: string;
}

/** General-purpose buckets' names. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** @throws SourceUrlError whose sentence names what is wrong */
export function parseSourceUrl(url: string): SourceUrl {
  const [, written, authority = "", rawPath = ""] =
    /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(?:\/(.*))?$/s.exec(url) ?? [];
  const scheme = written?.toLowerCase();
  if (scheme !== "s3" && scheme !== "file") {
    throw new SourceUrlError("A URL of objects is s3://bucket/path/ or file:///folder/path/.");
  }
  if (authority.includes("@")) {
    throw new SourceUrlError("A URL of objects must not contain a user or a password.");
  }
  if (/[?#]/.test(authority + rawPath)) {
    throw new SourceUrlError(
      "A URL of objects has no query and no fragment: write ? as %3F and # as %23.",
    );
  }
  if (scheme === "s3" && !BUCKET.test(authority)) {
    throw new SourceUrlError(
      "An s3:// URL names its bucket first: lower-case letters, digits, dots and hyphens, 3 to 63 of them.",
    );
  }
  if (scheme === "file" && authority !== "" && authority.toLowerCase() !== "localhost") {
    throw new SourceUrlError("A file: URL has three slashes: file:///folder/.");
  }
  return { scheme, bucket: scheme === "s3" ? authority : "", path: decodePath(rawPath) };
}

/** @throws SourceUrlError for what could lead elsewhere than it seems to */
function decodePath(raw: string): string {
  return raw
    .split("/")
    .map((segment) => {
      const decoded = decodeSegment(segment);
      if (decoded === "." || decoded === "..") {
        throw new SourceUrlError("A URL of objects has no . or .. among its folders.");
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (/[/\\\x00-\x1f\x7f]/.test(decoded)) {
        throw new SourceUrlError(
          "A URL of objects has no encoded slash, backslash or control character.",
        );
      }
      return decoded;
    })
    .join("/");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new SourceUrlError(
      "A URL of objects has a % that begins no encoded character; write it as %25.",
    );
  }
}

/** Whether a path is the folder or lies in it. @param folder with or without a trailing slash; empty = the root */
export function liesWithin(path: string, folder: string): boolean {
  const bare = folder.replace(/\/+$/, "");
  return bare === "" || path === bare || path.startsWith(`${bare}/`);
}
