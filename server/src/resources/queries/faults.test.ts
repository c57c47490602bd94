import { describe, expect, it } from "vitest";
import { describeFailure } from "../../api/http/bodies/answer.ts";
import {
  SourceChangedError,
  SourceError,
  SourceUrlError,
} from "../../query/sources/source-error.ts";
import { SqlError } from "../../query/sql/query.ts";
import { ScanError } from "../../query/sql/scan.ts";
import { asQueryProblem } from "./faults.ts";

const statusOf = (error: Error): number => describeFailure(error, {}, asQueryProblem).status;

describe("asQueryProblem", () => {
  it.each([
    ["invalid", 400],
    ["not-allowed", 400],
    ["failed", 400],
    ["resources", 400],
    ["disk-full", 507],
    ["crashed", 400],
    ["cancelled", 400],
    ["timeout", 408],
    ["busy", 503],
    ["too-many", 429],
  ] as const)("answers an SQL failure %s with %i", (failure, status) => {
    expect(statusOf(new SqlError(failure, "why"))).toBe(status);
  });

  it.each([
    ["unreachable", 502],
    ["refused", 502],
    ["broken", 502],
    ["timeout", 504],
    ["not-found", 400],
    ["forbidden-address", 400],
  ] as const)("answers a source failure %s with %i", (failure, status) => {
    expect(statusOf(new SourceError(failure, "why"))).toBe(status);
  });

  it("answers definitions and addresses that do not fit with 400, changed objects with 409", () => {
    expect(statusOf(new ScanError("why"))).toBe(400);
    expect(statusOf(new SourceUrlError("why"))).toBe(400);
    expect(statusOf(new SourceChangedError("why"))).toBe(409);
  });

  it("shows message and position of an SQL error, and nothing of its cause or stack", () => {
    const cause = new Error("/home/secret/path");
    const error = new SqlError("invalid", 'syntax error at or near "FROMM"', {
      position: { line: 2, column: 5 },
      cause,
    });
    const { body, contentType, unexpected } = describeFailure(error, {}, asQueryProblem);
    expect(contentType).toBe("application/problem+json");
    expect(body).toEqual({
      type: "urn:distillery:problem:bad-request",
      title: "Bad request",
      status: 400,
      detail: 'syntax error at or near "FROMM"',
      position: { line: 2, column: 5 },
    });
    expect(unexpected).toBeUndefined();
  });

  it.each(["busy", "too-many"] as const)("tells when to come back where it is %s", (failure) => {
    const { headers } = describeFailure(new SqlError(failure, "why"), {}, asQueryProblem);
    expect(headers).toMatchObject({ "retry-after": "1" });
  });

  it("leaves other errors alone", () => {
    expect(asQueryProblem(new Error("why"))).toBeNull();
  });
});
