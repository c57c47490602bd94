/**
 * What goes: a function of records, rules and a time alone. What is referred to is kept, whatever the
 * rules say, and a rule that keeps more never lets more go.
 */

export const RULES = [
  "keep_versions",
  "unnamed_model_days",
  "failed_job_days",
  "job_report_days",
  "output_days",
  "unused_dataset_days",
  "audit_event_days",
] as const;
export type Rule = (typeof RULES)[number];
/** Null = for ever. */
export type Rules = Readonly<Record<Rule, number | null>>;

export interface ModelRecord {
  readonly type: "model" | "document_schema";
  readonly id: string;
  readonly name: string;
  /** Null of models without a registered name. */
  readonly registered_name: string | null;
  readonly version: number | null;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly job_id: string;
  readonly bytes: number;
  readonly updated_at: Date;
  /** An alias, an endpoint or an open job refers to it. */
  readonly is_used: boolean;
}

export interface JobRecord {
  readonly id: string;
  readonly name: string;
  readonly status: "completed" | "failed";
  readonly bytes: number;
  readonly finished_at: Date;
  /** What of it may go before it does; null = nothing, or it has gone. */
  readonly keeps: "report" | "output" | null;
}

export interface DatasetRecord {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** When it was made, or the last job that read it ended. */
  readonly used_at: Date;
  /** A model or an open job refers to it. */
  readonly is_used: boolean;
}

/** The events of the audit log of one day, which go together. */
export interface AuditDayRecord {
  /** `2031-05-30`, UTC. */
  readonly day: string;
  readonly count: number;
}

export interface Records {
  readonly models: readonly ModelRecord[];
  /** Ended ones. */
  readonly jobs: readonly JobRecord[];
  readonly datasets: readonly DatasetRecord[];
  readonly auditDays: readonly AuditDayRecord[];
}

export interface Decision {
  readonly rule: Rule;
  /** `prune` = its log and its objects go, and it stays. */
  readonly action: "delete" | "prune";
  readonly kind: "model" | "document_schema" | "job" | "dataset" | "audit_events";
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** A sentence. */
  readonly reason: string;
}

const DAY_MILLISECONDS = 86_400_000;

/** In the order in which they are to be carried out: what refers to something goes before it. */
export function select(records: Records, rules: Rules, now: Date): Decision[] {
  const past = (since: Date, days: number | null): days is number =>
    days !== null && now.getTime() - since.getTime() >= days * DAY_MILLISECONDS;
  const failed = records.jobs.filter(
    ({ status, finished_at }) => status === "failed" && past(finished_at, rules.failed_job_days),
  );
  const failedIds = new Set(failed.map(({ id }) => id));
  const ageOf = (what: string, since: Date): string =>
    `It ${what} at ${since.toISOString()}, longer ago than the rule keeps it.`;
  const jobs = records.jobs.flatMap((job): Decision[] => {
    const { id, name, bytes, finished_at: since } = job;
    const of = { kind: "job", id, name, bytes } as const;
    if (failedIds.has(id)) {
      const reason = ageOf("failed or was cancelled", since);
      return [{ ...of, rule: "failed_job_days", action: "delete", reason }];
    }
    const rule = job.keeps === "report" ? "job_report_days" : "output_days";
    if (job.keeps === null || !past(since, rules[rule])) return [];
    return [{ ...of, rule, action: "prune", reason: ageOf("ended", since) }];
  });
  const datasets = records.datasets.flatMap((dataset): Decision[] => {
    const { id, name, bytes, used_at: since } = dataset;
    if (dataset.is_used || !past(since, rules.unused_dataset_days)) return [];
    const reason = ageOf("was made or last read", since);
    return [
      { rule: "unused_dataset_days", action: "delete", kind: "dataset", id, name, bytes, reason },
    ];
  });
  const auditDays = records.auditDays.flatMap(({ day, count }): Decision[] => {
    const end = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MILLISECONDS);
    if (!past(end, rules.audit_event_days)) return [];
    const reason = `The ${count === 1 ? "event" : `${count} events`} of that day are older than the rule keeps them.`;
    return [
      {
        ...{ rule: "audit_event_days", action: "delete", kind: "audit_events", bytes: 0 },
        ...{ id: day, name: "", reason },
      },
    ];
  });
  return [...modelsThatGo(), ...jobs, ...datasets, ...auditDays];

  function modelsThatGo(): Decision[] {
    const beyond = rules.keep_versions === null ? null : versionsBeyond(rules.keep_versions);
    return records.models.flatMap((model): Decision[] => {
      const { type: kind, id, name, bytes, version, updated_at: since } = model;
      const of = { action: "delete", kind, id, name, bytes } as const;
      if (model.is_used || model.status === "pending" || model.status === "running") return [];
      if (model.status === "failed") {
        if (!failedIds.has(model.job_id)) return [];
        const reason = `The job ${model.job_id}, which failed or was cancelled, left it unfinished.`;
        return [{ ...of, rule: "failed_job_days", reason }];
      }
      if (beyond?.has(id)) {
        const reason = `Version ${version} is behind the last ${rules.keep_versions} of its name.`;
        return [{ ...of, rule: "keep_versions", reason }];
      }
      const isNamed = kind === "document_schema" || model.registered_name !== null;
      if (isNamed || !past(since, rules.unnamed_model_days)) return [];
      const reason = ageOf("has no registered name, and last changed", since);
      return [{ ...of, rule: "unnamed_model_days", reason }];
    });
  }

  /** Ids of versions behind the last of their names; those that are used count among the last. */
  function versionsBeyond(keep: number): ReadonlySet<string> {
    const byName = new Map<string, ModelRecord[]>();
    for (const model of records.models) {
      if (model.registered_name === null || model.status !== "completed") continue;
      const versions = byName.get(model.registered_name) ?? [];
      versions.push(model);
      byName.set(model.registered_name, versions);
    }
    const latestFirst = (a: ModelRecord, b: ModelRecord) => (b.version ?? 0) - (a.version ?? 0);
    return new Set(
      [...byName.values()].flatMap((versions) =>
        versions
          .toSorted(latestFirst)
          .slice(keep)
          .map(({ id }) => id),
      ),
    );
  }
}

export interface Total {
  readonly rule: Rule;
  readonly count: number;
  readonly bytes: number;
}

/** By rule, without those by which nothing goes. */
export const totalsOf = (decisions: readonly Decision[]): Total[] =>
  RULES.flatMap((rule) => {
    const of = decisions.filter((decision) => decision.rule === rule);
    const bytes = of.reduce((sum, each) => sum + each.bytes, 0);
    return of.length === 0 ? [] : [{ rule, count: of.length, bytes }];
  });
