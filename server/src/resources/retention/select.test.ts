/** What retention lets go, over records of any kind: never what is used, and more as rules keep less. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Decision,
  type JobRecord,
  type ModelRecord,
  type Records,
  RULES,
  type Rules,
  select,
  totalsOf,
} from "./select.ts";

const NOW = new Date("2031-06-01T00:00:00Z");
const DAY = 86_400_000;

const time = fc
  .integer({ min: 0, max: 40 * 24 })
  .map((hours) => new Date(+NOW - hours * 3_600_000));
const bytes = fc.nat(1000);
const jobIds = ["j0", "j1", "j2", "j3"];

const model = fc.record({
  name: fc.constant("m"),
  registered_name: fc.constantFrom(null, "a", "b"),
  status: fc.constantFrom<ModelRecord["status"]>("completed", "completed", "failed", "running"),
  job_id: fc.constantFrom(...jobIds),
  bytes,
  updated_at: time,
  is_used: fc.boolean(),
});
const job = fc.record({
  name: fc.constant("j"),
  status: fc.constantFrom<JobRecord["status"]>("completed", "failed"),
  bytes,
  finished_at: time,
  keeps: fc.constantFrom<JobRecord["keeps"]>("report", "output", null),
});
const dataset = fc.record({ name: fc.constant("d"), bytes, used_at: time, is_used: fc.boolean() });

const records: fc.Arbitrary<Records> = fc
  .tuple(
    fc.array(model, { maxLength: 12 }),
    fc.array(job, { maxLength: jobIds.length }),
    fc.array(dataset, { maxLength: 6 }),
    fc.uniqueArray(fc.nat(40), { maxLength: 4 }),
  )
  .map(([models, jobs, datasets, ages]) => ({
    auditDays: ages.map((age) => ({
      day: new Date(+NOW - (age + 1) * DAY).toISOString().slice(0, 10),
      count: 1 + age,
    })),
    models: models.map((each, at) => ({
      ...each,
      type: "model" as const,
      id: `m${at}`,
      version: each.registered_name === null ? null : at + 1,
    })),
    jobs: jobs.map((each, at) => ({ ...each, id: `j${at}` })),
    datasets: datasets.map((each, at) => ({ ...each, id: `d${at}` })),
  }));

const days = fc.option(fc.nat(40));
const rules: fc.Arbitrary<Rules> = fc.record({
  keep_versions: fc.option(fc.integer({ min: 1, max: 6 })),
  unnamed_model_days: days,
  failed_job_days: days,
  job_report_days: days,
  output_days: days,
  unused_dataset_days: days,
  audit_event_days: days,
});

const NEVER: Rules = {
  keep_versions: null,
  unnamed_model_days: null,
  failed_job_days: null,
  job_report_days: null,
  output_days: null,
  unused_dataset_days: null,
  audit_event_days: null,
};

const ids = (decisions: readonly Decision[]) => new Set(decisions.map(({ id }) => id));

describe("what goes", () => {
  it("is nothing without rules, and nothing that is used or at work, whatever the rules", () => {
    fc.assert(
      fc.property(records, rules, (all, set) => {
        expect(select(all, NEVER, NOW)).toEqual([]);
        const gone = ids(select(all, set, NOW));
        for (const { id, is_used, status } of all.models) {
          if (is_used || status === "running") expect(gone.has(id)).toBe(false);
        }
        for (const { id, is_used } of all.datasets) if (is_used) expect(gone.has(id)).toBe(false);
      }),
    );
  });

  it("is what the rule says, one by one", () => {
    fc.assert(
      fc.property(records, rules, (all, set) => {
        const old = (since: Date, limit: number | null) =>
          limit !== null && +NOW - +since >= limit * DAY;
        const byId = new Map(select(all, set, NOW).map((each) => [each.id, each.rule]));
        for (const each of all.jobs) {
          const failed = each.status === "failed" && old(each.finished_at, set.failed_job_days);
          const report = each.keeps === "report" && old(each.finished_at, set.job_report_days);
          const output = each.keeps === "output" && old(each.finished_at, set.output_days);
          const rule = failed
            ? "failed_job_days"
            : report
              ? "job_report_days"
              : output
                ? "output_days"
                : undefined;
          expect(byId.get(each.id)).toBe(rule);
        }
        for (const each of all.datasets) {
          const goes = !each.is_used && old(each.used_at, set.unused_dataset_days);
          expect(byId.has(each.id)).toBe(goes);
        }
        for (const { day } of all.auditDays) {
          const end = new Date(Date.parse(day) + DAY);
          expect(byId.has(day)).toBe(old(end, set.audit_event_days));
        }
        for (const each of all.models) {
          if (each.is_used || each.status !== "completed") continue;
          const later = all.models.filter(
            (other) =>
              other.status === "completed" &&
              other.registered_name === each.registered_name &&
              (other.version ?? 0) > (each.version ?? 0),
          );
          const goes =
            each.registered_name === null
              ? old(each.updated_at, set.unnamed_model_days)
              : set.keep_versions !== null && later.length >= set.keep_versions;
          expect(byId.has(each.id)).toBe(goes);
        }
      }),
    );
  });

  it("never grows as a rule keeps more", () => {
    fc.assert(
      fc.property(records, rules, fc.constantFrom(...RULES), fc.nat(10), (all, set, rule, more) => {
        const limit = set[rule];
        const kept: Rules = { ...set, [rule]: limit === null ? null : limit + more };
        const before = ids(select(all, set, NOW));
        for (const id of ids(select(all, kept, NOW))) expect(before.has(id)).toBe(true);
      }),
    );
  });

  it("names each thing once, and totals add up", () => {
    fc.assert(
      fc.property(records, rules, (all, set) => {
        const decisions = select(all, set, NOW);
        expect(ids(decisions).size).toBe(decisions.length);
        const totals = totalsOf(decisions);
        const sum = (of: readonly { readonly bytes: number }[]) =>
          of.reduce((total, each) => total + each.bytes, 0);
        expect(sum(totals)).toBe(sum(decisions));
        expect(totals.reduce((total, { count }) => total + count, 0)).toBe(decisions.length);
      }),
    );
  });

  it("lets a failed model go with its job alone, and before it", () => {
    const failed: ModelRecord = {
      ...{ type: "model", id: "m", name: "m", registered_name: null, version: null },
      ...{ status: "failed", job_id: "j", bytes: 0, updated_at: new Date(0), is_used: false },
    };
    const of: JobRecord = {
      ...{ id: "j", name: "", status: "failed", bytes: 3, finished_at: NOW, keeps: null },
    };
    const all = { models: [failed], jobs: [of], datasets: [], auditDays: [] };
    const set = { ...NEVER, unnamed_model_days: 0, failed_job_days: 0 };
    expect(select(all, set, NOW).map(({ id }) => id)).toEqual(["m", "j"]);
    expect(select(all, { ...set, failed_job_days: 1 }, NOW)).toEqual([]);
  });
});
