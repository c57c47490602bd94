/** The audit log: who asked for which change, and how it ended; what it is filtered by is in the address. */

import type { Outputs } from "@distillery/client";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { client } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";

type AuditEvent = Outputs["audit"]["list"]["audit_events"][number];

const FILTERS = [
  "outcome",
  "key_id",
  "operation",
  "resource_type",
  "resource_id",
  "since",
  "before",
];
const OUTCOMES = ["succeeded", "refused", "failed"] as const;
type Outcome = (typeof OUTCOMES)[number];

const isOutcome = (text: string | undefined): text is Outcome =>
  OUTCOMES.some((each) => each === text);

const callerName = ({ caller }: AuditEvent): string =>
  caller.key_name ?? caller.subject ?? "somebody unknown";

const WORDS: Readonly<Record<string, string>> = {
  session_create: "sign in",
  session_delete: "sign out",
};

/** `apiKeys_create` as `api keys: create`. */
const words = (operation: string): string =>
  WORDS[operation] ??
  operation
    .replace("_", ": ")
    .replaceAll("_", " ")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const UUID = /^[0-9a-f]{8}(?=(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$)/;

/** Ids by their beginning; details have the whole. */
const thing = ({ resource_type, resource_id }: AuditEvent): string =>
  resource_id === null
    ? resource_type
    : `${resource_type} ${UUID.exec(resource_id)?.[0] ?? resource_id}`;

export function Audit() {
  const [query, setQuery] = useSearchParams();
  const [shown, setShown] = useState<AuditEvent | null>(null);
  const of = (name: string): string | undefined => query.get(name) || undefined;
  const outcome = of("outcome");
  const filter = {
    outcome: isOutcome(outcome) ? outcome : undefined,
    key_id: of("key_id"),
    operation: of("operation"),
    resource_type: of("resource_type"),
    resource_id: of("resource_id"),
    since: of("since"),
    before: of("before"),
  };
  const narrow = (changes: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    setQuery(next);
  };
  const isNarrowed = FILTERS.some((name) => query.get(name));
  return (
    <Card title="Audit log">
      <p className="note">
        Every change that was asked for, with sign-ins, and how it ended. It has no contents and no
        secrets. Retention says how long events stay.
      </p>
      <Filters key={query.toString()} of={of} narrow={narrow} />
      <Listing
        queryKey={["audit-events", filter]}
        caption="Audit events"
        page={async (page_token, signal) => {
          const { audit_events: items, next_page_token: next } = await client.audit.list.query(
            { ...filter, limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        refreshMs={15_000}
        columns={[
          { head: "When", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: "Who",
            cell: (event) => (
              <span>
                <Text of={callerName(event)} most={40} />
                {event.caller.is_session && <small> at the console</small>}
              </span>
            ),
          },
          { head: "Did", cell: ({ operation }) => words(operation) },
          { head: "To", cell: (event) => <Text of={thing(event)} most={46} /> },
          {
            head: "Outcome",
            cell: (event) => (
              <span>
                <Status of={event.outcome} />
                {event.is_replay && <small> sent again, nothing changed</small>}
              </span>
            ),
          },
          {
            head: "More",
            cell: (event) => (
              <Button look="quiet" onClick={() => setShown(event)}>
                Details<span className="unseen"> of {words(event.operation)}</span>
              </Button>
            ),
          },
        ]}
        empty={
          <Empty title={isNarrowed ? "Nothing like this" : "No change yet"}>
            <p>
              {isNarrowed
                ? "No event fits these filters."
                : "What is made, changed and deleted from now on is listed here."}
            </p>
          </Empty>
        }
      />
      {shown && (
        <Details
          event={shown}
          onClose={() => setShown(null)}
          narrow={(changes) => {
            narrow(changes);
            setShown(null);
          }}
        />
      )}
    </Card>
  );
}

interface FiltersProps {
  readonly of: (name: string) => string | undefined;
  readonly narrow: (changes: Readonly<Record<string, string>>) => void;
}

/** Moments are asked for as the browser's own clock has them. */
const localTime = (iso: string | undefined): string => {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return "";
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function Filters({ of, narrow }: FiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const time = (name: string): string =>
      text(name) === "" ? "" : new Date(text(name)).toISOString();
    narrow({
      outcome: text("outcome"),
      resource_type: text("resource_type"),
      resource_id: text("resource_id"),
      operation: text("operation"),
      key_id: text("key_id"),
      since: time("since"),
      before: time("before"),
    });
  };
  const texts = [
    ["resource_type", "Kind of thing", "Such as datasets."],
    ["resource_id", "Id or name of the thing", "The whole of it."],
    ["operation", "Operation", "Such as datasets_delete."],
    ["key_id", "Id of the key", "Details of an event have it."],
  ] as const;
  return (
    <details open={FILTERS.some((name) => of(name) !== undefined)}>
      <summary>Filter</summary>
      <form onSubmit={submit}>
        <div className="form-row">
          <Field label="Outcome">
            {(control) => (
              <select {...control} name="outcome" defaultValue={of("outcome") ?? ""}>
                <option value="">any</option>
                {OUTCOMES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
          {texts.map(([name, label, hint]) => (
            <Field key={name} label={label} hint={hint}>
              {(control) => <input {...control} name={name} defaultValue={of(name)} />}
            </Field>
          ))}
          {(["since", "before"] as const).map((name) => (
            <Field key={name} label={name === "since" ? "From" : "Before"}>
              {(control) => (
                <input
                  {...control}
                  name={name}
                  type="datetime-local"
                  defaultValue={localTime(of(name))}
                />
              )}
            </Field>
          ))}
        </div>
        <div className="actions">
          <Button look="main" type="submit">
            Show these
          </Button>
          <Button onClick={() => narrow(Object.fromEntries(FILTERS.map((name) => [name, ""])))}>
            Show all
          </Button>
        </div>
      </form>
    </details>
  );
}

function Details({
  event,
  onClose,
  narrow,
}: {
  readonly event: AuditEvent;
  readonly onClose: () => void;
  readonly narrow: FiltersProps["narrow"];
}) {
  const { caller, resource_type, resource_id } = event;
  const entries: readonly (readonly [string, string])[] = [
    ["When", event.created_at],
    ["Who", callerName(event)],
    [
      "By",
      {
        api_key: "an API key",
        oidc: caller.is_session ? "a sign-in at the issuer" : "an access token",
        unknown: "nothing known",
      }[caller.kind],
    ],
    ["Id of the key", caller.key_id ?? "none"],
    ["From", caller.address],
    ["Operation", event.operation],
    ["Thing", `${resource_type} ${resource_id ?? ""}`],
    ["Path", event.path],
    ["Answered", String(event.status)],
    [
      "Sent again",
      event.is_replay ? "yes, with its Idempotency-Key: it was answered as before" : "no",
    ],
    ["Request", event.request_id],
  ];
  return (
    <Dialog title={words(event.operation)} onClose={onClose}>
      <dl className="event">
        {entries.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>
              <Text of={value} most={300} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        {caller.key_id !== null && (
          <Button onClick={() => narrow({ key_id: caller.key_id ?? "" })}>All by this key</Button>
        )}
        {resource_id !== null && (
          <Button onClick={() => narrow({ resource_type, resource_id })}>All of this thing</Button>
        )}
      </div>
    </Dialog>
  );
}
