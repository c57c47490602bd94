/** The files of a multipart body, each to a local file as it comes. */

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { readMultipart } from "../../api/http/bodies/multipart.ts";
import { faultOfName } from "../../platform/input/display-name.ts";
import { unprocessable } from "../../platform/input/problem.ts";
import { LIMITS } from "./limits.ts";
import { ByteBudget, type ReceivedFile, receiveFile } from "./received-file.ts";

/** No field is taken. */
const MULTIPART_LIMITS = { fieldBytes: 1024 };

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/**
 * Every part that has a file name, in the order in which they came, whatever the parts are called.
 *
 * @param folder an empty one, for the files
 * @param admit asked for the bytes of all files that have come; throws where they are too many
 * @throws 400 for a malformed body, 413, 422 where there is no file or a part without a file name
 */
export async function receiveFiles(
  headers: IncomingHttpHeaders,
  body: () => Readable,
  folder: string,
  admit: (bytes: number) => void,
): Promise<readonly ReceivedFile[]> {
  const files: Promise<ReceivedFile>[] = [];
  const budget = new ByteBudget(admit);
  await readMultipart(headers, body, MULTIPART_LIMITS, {
    field(name) {
      throw unprocessable(["body", name], "every part should be a file with a file name");
    },
    async file({ fileName, mediaType: sent, content }) {
      const index = files.length;
      if (index >= LIMITS.files) {
        throw unprocessable(["body", "files"], `one request takes at most ${LIMITS.files} files`);
      }
      const name = cleanName(fileName) ?? `document ${index + 1}`;
      const mediaType = MEDIA_TYPE.test(sent) ? sent.toLowerCase() : null;
      const received = receiveFile(content, folder, { index, name, mediaType }, budget);
      files.push(received);
      await received;
    },
  });
  if (files.length === 0) {
    throw unprocessable(["body", "files"], "Field required", { type: "missing" });
  }
  return await Promise.all(files);
}

/** A file's name as it is shown: without folders and control characters. */
function cleanName(name: string | undefined): string | null {
  const base = (name ?? "").toWellFormed().replace(/^.*[/\\]/, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const shown = base.replace(/[\u0000-\u001f\u007f]/g, "").trim();
  const clean = [...shown].slice(0, LIMITS.nameCharacters).join("");
  return faultOfName(clean) === null ? clean : null;
}
