/** The files of a multipart body, each to a local file as it comes. */

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { Problem, unprocessable } from "../http/problem.ts";
import { LIMITS } from "./limits.ts";
import { ByteBudget, type ReceivedFile, receiveFile } from "./received-file.ts";

type BusboyParser = InstanceType<typeof Busboy>;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/**
 * Every part that has a file name, in the order in which they came, whatever the parts are called.
 *
 * @param folder an empty one, for the files
 * @throws 400 for a malformed body, 413, 422 where there is no file or a part without a file name
 */
export async function receiveFiles(
  headers: IncomingHttpHeaders,
  body: () => Readable,
  folder: string,
): Promise<readonly ReceivedFile[]> {
  const contentType = headers["content-type"] ?? "";
  const source = body();
  let parser: BusboyParser;
  try {
    parser = new Busboy({
      headers: { ...headers, "content-type": contentType },
      limits: { files: LIMITS.files + 1, fields: 1, fieldSize: 1024, headerPairs: 100 },
    });
  } catch (cause) {
    source.resume();
    throw new Problem("bad-request", "The multipart body has no valid boundary.", { cause });
  }
  const files: Promise<ReceivedFile>[] = [];
  const arriving = new Set<Readable>();
  const budget = new ByteBudget();
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on("field", (field) => {
        reject(unprocessable(["body", field], "every part should be a file with a file name"));
      });
      parser.on("file", (_field, file, fileName, _encoding, mimeType) => {
        const index = files.length;
        if (index >= LIMITS.files) {
          file.resume();
          reject(
            unprocessable(["body", "files"], `one request takes at most ${LIMITS.files} files`),
          );
          return;
        }
        const name = cleanName(fileName) || `document ${index + 1}`;
        const mediaType = MEDIA_TYPE.test(mimeType) ? mimeType.toLowerCase() : null;
        // A body that is cut short ends its last file early, and then fails as a whole.
        arriving.add(file);
        file.once("close", () => arriving.delete(file));
        const received = receiveFile(file, folder, { index, name, mediaType }, budget);
        received.catch(reject);
        files.push(received);
      });
      parser.on("finish", resolve);
      parser.on("error", (cause) =>
        reject(
          new Problem("bad-request", "The multipart body is malformed or cut short.", { cause }),
        ),
      );
      source.on("error", reject);
      source.pipe(parser);
    });
    if (files.length === 0) {
      throw unprocessable(["body", "files"], "Field required", { type: "missing" });
    }
    return await Promise.all(files);
  } catch (error) {
    source.unpipe(parser);
    source.resume();
    parser.destroy();
    // The parser ends no file that it had begun; who reads one would wait for ever.
    for (const file of arriving) file.destroy();
    // Nothing writes to the folder any more when it is removed.
    await Promise.allSettled(files);
    throw error;
  }
}

/** A file's name as it is shown: without folders and control characters. */
export function cleanName(name: string | undefined): string {
  const base = (name ?? "").toWellFormed().replace(/^.*[/\\]/, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const shown = base.replace(/[\u0000-\u001f\u007f]/g, "").trim();
  return [...shown].slice(0, LIMITS.nameCharacters).join("");
}
