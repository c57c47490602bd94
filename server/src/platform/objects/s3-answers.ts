/**
 * What a server of the S3 API says beside the bytes of objects: lists and errors, in XML. The SDK collects them in
 * memory whatever their size, and parses them on the loop.
 */

import { pipeline, Readable, Transform } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";

/** A page has 1,000 keys of 1,024 bytes at most, each of which may be an entity of five. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** What answers is no server of the S3 API, or harms. */
export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
  constructor() {
    super(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
}

/** Ends answers of more than 8 MiB, but for objects. */
export function boundAnswers(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const handled = await next(args);
        const { response } = handled;
        if (!isAnswer(response)) return handled;
        const isObject = commandName === "GetObjectCommand" && response.statusCode < 300;
        if (!isObject) response.body = bounded(response.body);
        return handled;
      },
    { step: "deserialize", priority: "low", name: "boundAnswers" },
  );
  return client;
}

interface Answer {
  readonly statusCode: number;
  body: Readable;
}

const isAnswer = (response: unknown): response is Answer =>
  typeof response === "object" &&
  response !== null &&
  "statusCode" in response &&
  typeof response.statusCode === "number" &&
  "body" in response &&
  response.body instanceof Readable;

function bounded(body: Readable): Readable {
  let bytes = 0;
  const within = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) done(new AnswerTooLargeError());
      else done(null, chunk);
    },
  });
  // Its reader is told of failures by the stream itself.
  return pipeline(body, within, () => undefined);
}
