import { expect, it } from "vitest";
import { CANCELLED } from "../../../src/resources/jobs/run-job.ts";
import { stateOf } from "./job-state.ts";

it("tells what was cancelled from what failed, by the service's own words", () => {
  const failed = (error_message: string): string => stateOf({ status: "failed", error_message });
  expect(failed(CANCELLED)).toBe("cancelled");
  expect(failed("The teacher cancelled the request.")).toBe("failed");
  expect(stateOf({ status: "completed", error_message: "" })).toBe("completed");
});
