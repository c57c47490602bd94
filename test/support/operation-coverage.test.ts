/** The table of answers seen. */

import { expect, it } from "vitest";
import {
  type ApiDocument,
  coverageOf,
  coverageSummary,
  coverageTable,
} from "./operation-coverage.ts";

const text = { type: "string" };
const secured = { "401": {}, "403": {}, "422": {}, "200": {} };
const document: ApiDocument = {
  paths: {
    "/v1/things/{id}": {
      get: {
        operationId: "get",
        summary: "Get",
        tags: ["Tables"],
        parameters: [{ name: "id", in: "path", required: true, schema: text }],
        responses: { ...secured, "404": {} },
      },
      patch: {
        operationId: "patch",
        summary: "Patch",
        tags: ["Tables"],
        parameters: [{ name: "id", in: "path", required: true, schema: text }],
        requestBody: { content: {} },
        responses: { ...secured, "404": {}, "412": {} },
      },
    },
    "/v1/things/all": {
      get: {
        operationId: "all",
        summary: "All",
        tags: ["Other"],
        parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
        responses: secured,
      },
    },
  },
};

const answer = (method: string, path: string, status: number) => ({ method, path, status });

it("asks only for what can come back, and only of the groups that must be whole", () => {
  const coverage = coverageOf(document, [
    answer("GET", "/v1/things/a%2Fb", 200),
    answer("HEAD", "/v1/things/x", 404),
    answer("GET", "/v1/things/x", 401),
    answer("GET", "/v1/things/all", 200),
    answer("GET", "/v1/things/x/y", 403),
    answer("PATCH", "/v1/things/x", 412),
    answer("PATCH", "/v1/things/x", 500),
  ]);
  expect(coverage.missing).toEqual([
    "GET /v1/things/{id}: 403",
    ...["success", "401", "403", "404", "422"].map((cell) => `PATCH /v1/things/{id}: ${cell}`),
  ]);
  const table = coverageTable(coverage).split("\n");
  expect(table).toContain("| `GET /v1/things/{id}` | ✓ | ✓ | ✗ | ✓ | – | – | – |");
  expect(table).toContain("| `PATCH /v1/things/{id}` | ✗ | ✗ | ✗ | ✗ | – | ✓ | ✗ |");
  expect(table).toContain("| `GET /v1/things/all` | ✓ | ✗ | ✗ | – | – | – | ✗ |");
  expect(coverageSummary(coverage)).toBe(
    "5 of 14 answers of 3 operations seen; 6 required ones not seen",
  );
});
