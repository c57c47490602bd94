/**
 * Multipart bodies (RFC 7578), read to their end or refused as a whole. Every emitter of the parser has
 * a listener from its first moment on: a body that is cut somewhere ends in an error of its request.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { Problem } from "../../../platform/input/problem.ts";

type Parser = InstanceType<typeof Busboy>;

export interface MultipartFile {
  /** The part's name. */
  readonly field: string;
  /** As it was sent; undefined where the part is a file by its media type alone. */
  readonly fileName: string | undefined;
  readonly mediaType: string;
  /** To be read, or the body stands still. Fails where the body does. */
  readonly content: Readable;
}

/** What throws or rejects refuses the body. */
export interface MultipartHandlers {
  readonly field: (name: string, value: string) => void;
  /** Resolves when the content is read to its end. */
  readonly file: (file: MultipartFile) => Promise<void>;
}

export interface MultipartLimits {
  /** Of a field's value. */
  readonly fieldBytes: number;
}

const MAX_FIELDS = 100;
const MAX_HEADERS = 100;

/**
 * Resolves when the closing boundary has come and every file is handled.
 *
 * @throws 400 for a body that is malformed or cut short, 413 for a field that is too long, or what a
 *   handler throws; by then no handler works any more
 */
export async function readMultipart(
  headers: IncomingHttpHeaders,
  body: () => Readable,
  limits: MultipartLimits,
  handlers: MultipartHandlers,
): Promise<void> {
  const source = body();
  const parser = openParser(headers, source, limits);
  const working: Promise<void>[] = [];
  const arriving = new Set<Readable>();
  try {
    await new Promise<void>((resolve, reject) => {
      const attempt = (action: () => void): void => {
        try {
          action();
        } catch (error) {
          reject(error);
        }
      };
      parser.on("field", (name, value, _nameTruncated, isTruncated) =>
        attempt(() => {
          if (isTruncated) throw longField(name, limits.fieldBytes);
          handlers.field(name ?? "", value);
        }),
      );
      for (const limit of ["fieldsLimit", "partsLimit"] as const) {
        parser.on(limit, () => reject(malformed(`The body has more than ${MAX_FIELDS} fields.`)));
      }
      parser.on("file", (field, content, fileName, _encoding, mediaType) => {
        arriving.add(content);
        // The parser tells of the whole body what it tells of this file, be the file read or not.
        content.on("error", () => undefined);
        content.once("close", () => arriving.delete(content));
        attempt(() => {
          const handled = handlers.file({ field: field ?? "", fileName, mediaType, content });
          handled.catch(reject);
          working.push(handled);
        });
      });
      parser.on("finish", resolve);
      parser.on("error", (cause) => reject(cutShort(cause)));
      source.on("error", reject);
      source.pipe(parser);
    });
    await Promise.all(working);
  } catch (error) {
    source.unpipe(parser);
    source.resume();
    parser.destroy();
    const fault = error instanceof Error ? error : new Error(String(error));
    // The parser ends no file that it had begun; who reads one would wait for ever.
    for (const content of arriving) content.destroy(fault);
    await Promise.allSettled(working);
    throw error;
  }
}

function openParser(
  headers: IncomingHttpHeaders,
  source: Readable,
  { fieldBytes }: MultipartLimits,
): Parser {
  try {
    return new Busboy({
      headers: { ...headers, "content-type": headers["content-type"] ?? "" },
      limits: { fields: MAX_FIELDS, fieldSize: fieldBytes, headerPairs: MAX_HEADERS },
    });
  } catch (cause) {
    source.resume();
    throw malformed("The multipart body has no valid boundary.", cause);
  }
}

const malformed = (detail: string, cause?: unknown): Problem =>
  new Problem("bad-request", detail, { cause });

const cutShort = (cause: unknown): Problem =>
  malformed("The multipart body is malformed or cut short.", cause);

const longField = (name: string, limit: number): Problem =>
  new Problem(
    "payload-too-large",
    `The field ${JSON.stringify(name)} is longer than the limit of ${limit} bytes.`,
  );
