/** What requests claim of their tensors costs nothing until it is known to be so. */

import { describe, expect, it } from "vitest";
import { UnprocessableError } from "../../input/problem.ts";
import { readInferRequest } from "./infer-request.ts";

const SIGNATURE = { columns: [{ name: "plan", kind: "categorical" }], classes: [] };

const fault = (inputs: readonly object[], tail: Uint8Array = new Uint8Array()): string => {
  const json = Buffer.from(JSON.stringify({ inputs }));
  try {
    readInferRequest(Buffer.concat([json, tail]), json.byteLength, SIGNATURE);
  } catch (error) {
    if (error instanceof UnprocessableError) return error.detail[0].loc.join(".");
    throw error;
  }
  return "none";
};

describe("shapes are refused before there are rows of them", () => {
  const columnless = { name: "none", datatype: "FP64", data: [] };

  it.each([[Number.MAX_SAFE_INTEGER, 0], [2 ** 31, 0], [0], [0, 2 ** 31]])(
    "%i × %s without elements",
    (...shape) => {
      expect(fault([{ ...columnless, shape }])).toMatch(/^body\.inputs\.0\.shape/);
    },
  );

  it("more rows than one request has", () => {
    expect(fault([{ ...columnless, shape: [10_001] }])).toBe("body.inputs.0.shape");
  });

  it("more elements than one request has, in several tensors", () => {
    const bytes = 10_000;
    const inputs = Array.from({ length: 401 }, (_, at) => ({
      name: `x${at}`,
      shape: [bytes],
      datatype: "UINT8",
      parameters: { binary_data_size: bytes },
    }));
    expect(fault(inputs, new Uint8Array(401 * bytes))).toBe("body.inputs.400.shape");
    expect(fault(inputs.slice(0, 20), new Uint8Array(20 * bytes))).toBe("none");
  });
});
