/**
 * What is no HTTP request that Node's parser takes is answered as every other failure is, and its
 * connection ends: nobody can tell where a next request would begin.
 */
import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import { Problem } from "../../../platform/input/problem.ts";
import { describeFailure, PROBLEM_JSON } from "./answer.ts";

export function answerUnparsed(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const { status, body } = describeFailure(problemOf(error));
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${PHRASES[status] ?? "Error"}`,
      `content-type: ${PROBLEM_JSON}`,
      `content-length: ${Buffer.byteLength(text)}`,
      "connection: close",
      "",
      text,
    ].join("\r\n"),
  );
}

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function problemOf({ code }: ConnectionError): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem(
        "headers-too-large",
        `The request's head is larger than the limit of ${maxHeaderSize} bytes.`,
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request-timeout", "The request did not come to its end in time.");
    default:
      return new Problem("bad-request", "The bytes that were sent are no valid HTTP/1.1 request.");
  }
}
