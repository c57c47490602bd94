/** Makes a connector in three steps: what it leads to, the address and the credentials, the test. */

import { ServiceError } from "@distillery/client";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { client } from "../../../api/client.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field, faultAt, placeOf } from "../../../ui/field.tsx";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import {
  type ConnectorForm,
  type ConnectorRequest,
  EMPTY_FORM,
  SOURCES,
  type SourceKind,
} from "./connector-form.ts";
import { type Kind, TestSteps } from "./connector-test.tsx";
import { type FailedCheck, memberOf } from "./failed-check.ts";

const PATH = [
  { to: "/data", label: "Data" },
  { to: "/data/connectors", label: "Connectors" },
];

export function NewConnector() {
  const queries = useQueryClient();
  const [source, setSource] = useState<SourceKind | null>(null);
  const [form, setForm] = useState<ConnectorForm>(EMPTY_FORM);
  const [made, setMade] = useState<{ readonly kind: Kind; readonly name: string } | null>(null);
  /** Whether the connector was made, and is changed from now on. */
  const [isThere, setIsThere] = useState(false);
  /** What its test found last. */
  const [failed, setFailed] = useState<FailedCheck | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = async (chosen: SourceKind): Promise<void> => {
    setBusy(true);
    setError(null);
    // What the last test found is of what was entered then.
    setFailed(null);
    try {
      const request = SOURCES[chosen].requestOf(form);
      await (isThere ? change(request) : make(request));
      setMade({ kind: request.kind, name: form.name });
      setIsThere(true);
      await queries.invalidateQueries({ queryKey: ["connectors"] });
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  const entered = useRef<HTMLFormElement>(null);
  const isMending = error !== null || (failed !== null && made === null);
  useEffect(() => {
    // Who is to change something begins where it is wrong.
    if (isMending) entered.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [isMending]);
  if (made !== null) {
    return (
      <Page title="New connector" path={PATH} lead="Step 3 of 3: does it work?">
        <Card title={made.name}>
          <TestSteps
            kind={made.kind}
            name={made.name}
            onMend={(check) => {
              setFailed(check);
              setMade(null);
            }}
            next={
              <ButtonLink
                look="main"
                to={
                  made.kind === "objstore"
                    ? "/data/catalog"
                    : `/data/catalog?connector=${encodeURIComponent(made.name)}`
                }
              >
                {made.kind === "objstore" ? "Make a table of its files" : "Make a catalog of it"}
              </ButtonLink>
            }
          />
        </Card>
        <div className="actions">
          <ButtonLink to="/data/connectors">All connectors</ButtonLink>
        </div>
      </Page>
    );
  }
  if (source === null) {
    return (
      <Page title="New connector" path={PATH} lead="Step 1 of 3: where does the data lie?">
        <div className="columns">
          {(Object.keys(SOURCES) as SourceKind[]).map((kind) => (
            <Card key={kind} title={SOURCES[kind].title}>
              <p>{SOURCES[kind].says}</p>
              <Button aria-label={`Choose ${SOURCES[kind].title}`} onClick={() => setSource(kind)}>
                Choose
              </Button>
            </Card>
          ))}
        </div>
      </Page>
    );
  }
  const { title, fields } = SOURCES[source];
  const wrong = failed === null ? null : memberOf(failed, form);
  const isSaid = isSaidBeside(
    error,
    fields.map(({ place }) => place),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void create(source);
  };
  return (
    <Page title="New connector" path={PATH} lead={`Step 2 of 3: the way to ${title}.`}>
      <form className="card connector-form" onSubmit={submit} ref={entered}>
        {fields.map(({ member, label, hint, place, isSecret, isRequired, example }) => (
          <Field
            key={member}
            label={label}
            hint={hint}
            fault={faultAt(error, place) ?? (member === wrong ? failed?.detail : undefined)}
          >
            {(control) => (
              <input
                {...control}
                value={form[member]}
                type={isSecret ? "password" : "text"}
                autoComplete="off"
                spellCheck={false}
                placeholder={example}
                required={isRequired === true}
                readOnly={isThere && member === "name"}
                onChange={({ target }) => setForm({ ...form, [member]: target.value })}
              />
            )}
          </Field>
        ))}
        {error !== null && !isSaid && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={busy}>
            {isThere ? "Change and test it" : "Make and test it"}
          </Button>
          {isThere ? (
            <ButtonLink to="/data/connectors">All connectors</ButtonLink>
          ) : (
            <Button onClick={() => setSource(null)}>Back</Button>
          )}
        </div>
      </form>
    </Page>
  );
}

async function make(request: ConnectorRequest): Promise<void> {
  if (request.kind === "objstore") await client.objectStoreConnectors.create.mutate(request.body);
  else await client.warehouseConnectors.create.mutate(request.body);
}

/** What was left empty now goes; which engine it is stays. */
async function change(request: ConnectorRequest): Promise<void> {
  if (request.kind === "objstore") {
    const { endpoint = null, region = null, credentials = null, ...body } = request.body;
    await client.objectStoreConnectors.patch.mutate({ ...body, endpoint, region, credentials });
  } else {
    const { kind: _, credentials = null, ...body } = request.body;
    await client.warehouseConnectors.patch.mutate({ ...body, credentials });
  }
}

/** Whether everything that was refused has a field here, which says it. */
const isSaidBeside = (error: unknown, places: readonly string[]): boolean =>
  error instanceof ServiceError &&
  error.faults.length > 0 &&
  error.faults.every(({ loc }) => places.includes(placeOf(loc)));
