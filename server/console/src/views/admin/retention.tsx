/** What goes by age or number: the rules, what they would delete now, and doing it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Field, faultAt } from "../../ui/field.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { counted, size } from "../../ui/numbers.ts";
import { Card, Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toasts.tsx";

const RULES = {
  keep_versions: ["Versions kept of each name", "the last so many"],
  unnamed_model_days: ["Models without a name", "days after their last change"],
  failed_job_days: ["Failed and cancelled jobs", "days after their end"],
  job_report_days: ["Logs and reports of runs", "days after their end; the models stay"],
  output_days: ["Outputs of batch predictions", "days after their end; the figures stay"],
  unused_dataset_days: ["Datasets that no model learned from", "days after they were last read"],
  audit_event_days: ["Events of the audit log", "days after their day; 30 or more"],
} as const;
type Rule = keyof typeof RULES;
const LEAST: Readonly<Partial<Record<Rule, number>>> = { keep_versions: 1, audit_event_days: 30 };
const NAMES = Object.keys(RULES) as Rule[];

const KEY = ["retention"];

/** Empty fields keep for ever. */
function rulesOf(form: HTMLFormElement): Record<Rule, number | null> {
  const data = new FormData(form);
  const of = (rule: Rule): number | null => {
    const text = String(data.get(rule) ?? "").trim();
    return text === "" ? null : Number(text);
  };
  return Object.fromEntries(NAMES.map((rule) => [rule, of(rule)])) as Record<Rule, number | null>;
}

export function Retention() {
  const mayChange = useScope("organization:write");
  const queries = useQueryClient();
  const { done } = useToasts();
  const [isApplying, setApplying] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => client.retention.get.query({}, { signal }),
  });
  const save = useMutation({
    mutationFn: (rules: Record<Rule, number | null>) => client.retention.patch.mutate(rules),
    onSuccess: (saved) => {
      queries.setQueryData(KEY, saved);
      done("Saved. The rules are applied once a day.");
    },
  });
  const look = useMutation({
    mutationFn: (rules: Record<Rule, number | null>) => client.retention.dryRun.mutate(rules),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const rules = rulesOf(event.currentTarget);
    if (submitter?.getAttribute("value") === "save") save.mutate(rules);
    else look.mutate(rules);
  };
  const failure = save.error ?? look.error;
  return (
    <>
      <Card title="What goes by itself">
        <p className="note">
          An empty field keeps for ever. What an alias, an endpoint or an open job refers to never
          goes. Last applied: {data.applied_at === null ? "never" : <Time at={data.applied_at} />}.
        </p>
        <form onSubmit={submit}>
          <div className="form-row">
            {NAMES.map((rule) => (
              <Field
                key={rule}
                label={RULES[rule][0]}
                hint={RULES[rule][1]}
                fault={faultAt(failure, rule)}
              >
                {(control) => (
                  <input
                    {...control}
                    name={rule}
                    type="number"
                    min={LEAST[rule] ?? 0}
                    step={1}
                    defaultValue={data[rule] ?? ""}
                    disabled={!mayChange}
                  />
                )}
              </Field>
            ))}
          </div>
          {failure && <ProblemNote error={failure} />}
          <div className="actions">
            <Button type="submit" value="look" busy={look.isPending}>
              Show what would go now
            </Button>
            {mayChange && (
              <>
                <Button look="main" type="submit" value="save" busy={save.isPending}>
                  Save the rules
                </Button>
                <Button look="danger" onClick={() => setApplying(true)}>
                  Apply the saved rules now
                </Button>
              </>
            )}
          </div>
        </form>
      </Card>
      {look.data && <WouldGo found={look.data} />}
      {isApplying && (
        <Confirm
          title="Delete what the saved rules say?"
          action="Delete"
          onClose={() => setApplying(false)}
          onConfirm={async () => {
            const { count, bytes } = await client.retention.applyNow.mutate({});
            await queries.invalidateQueries();
            setApplying(false);
            look.reset();
            done(`${counted(count, "thing")} went and freed ${size(bytes)}.`);
          }}
        >
          <p>What goes does not come back. “Show what would go now” lists it first.</p>
        </Confirm>
      )}
    </>
  );
}

type Found = Awaited<ReturnType<typeof client.retention.dryRun.mutate>>;

function WouldGo({ found }: { readonly found: Found }) {
  if (found.count === 0) {
    return <Empty title="Nothing would go">By these rules everything stays for now.</Empty>;
  }
  return (
    <Card title={`${counted(found.count, "thing")} would go and free ${size(found.bytes)}`}>
      <DataTable
        caption="What would go"
        items={found.items}
        keyOf={({ kind, id, rule }) => `${kind} ${id} ${rule}`}
        columns={[
          { head: "Kind", cell: ({ kind }) => kind.replaceAll("_", " ") },
          { head: "Name", cell: ({ name, id }) => <Text of={name || id} most={60} /> },
          { head: "Why", cell: ({ reason }) => <Text of={reason} most={300} /> },
          { head: "Frees", cell: ({ bytes }) => size(bytes), isNumber: true },
        ]}
      />
      {found.items.length < found.count && (
        <p className="hint">The first {found.items.length} are shown.</p>
      )}
    </Card>
  );
}
