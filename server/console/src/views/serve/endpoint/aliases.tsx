/** The aliases that an endpoint names its models by: where each leads, moved or rolled back from here. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { ModelLink } from "../models.tsx";
import type { Endpoint } from "./endpoint.ts";

interface AliasName {
  readonly name: string;
  readonly alias: string;
}

/** Null for an id, a bare name and a version. */
function aliasOf(reference: string): AliasName | null {
  const [name = "", alias = ""] = reference.split("@");
  return alias === "" || /^\d+$/.test(alias) ? null : { name, alias };
}

export function Aliases({ endpoint }: { readonly endpoint: Endpoint }) {
  const references = [
    ...endpoint.models.map(({ model_id }) => model_id),
    ...(endpoint.shadow_model_id === null ? [] : [endpoint.shadow_model_id]),
  ];
  const aliases = [...new Set(references)].flatMap((reference) => aliasOf(reference) ?? []);
  if (aliases.length === 0) return null;
  return (
    <Card title="Aliases">
      <p className="note">
        The endpoint follows an alias at once where it moves, and so does whatever else names it.
      </p>
      {aliases.map(({ name, alias }) => (
        <Alias key={`${name}@${alias}`} endpointId={endpoint.id} name={name} alias={alias} />
      ))}
    </Card>
  );
}

function Alias({ endpointId, name, alias }: AliasName & { readonly endpointId: string }) {
  const mayWrite = useScope("models:write");
  const queries = useQueryClient();
  const { done } = useToasts();
  const [version, setVersion] = useState("");
  const key = ["alias", name, alias];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.registry.getAlias.query({ name, alias }, { signal }),
  });
  const { data: registered } = useQuery({
    queryKey: ["registry", name],
    queryFn: ({ signal }) => client.registry.get.query({ name, limit: 100 }, { signal }),
  });
  const move = useMutation({
    mutationFn: (to: number | "back") =>
      to === "back"
        ? client.registry.rollBackAlias.mutate({ name, alias })
        : client.registry.setAlias.mutate({ name, alias, version: to }),
    onSuccess: async (moved) => {
      queries.setQueryData(key, moved);
      setVersion("");
      await queries.invalidateQueries({ queryKey: ["endpoint", endpointId] });
      done(`${name}@${alias} moved.`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    move.mutate(Number(version));
  };
  if (data === undefined) return error ? <ProblemNote error={error} /> : <Loading />;
  return (
    <section className="alias" aria-label={`${name}@${alias}`}>
      <h3>
        <bdi>{`${name}@${alias}`}</bdi>
      </h3>
      <p>
        Leads to <ModelLink reference={data.model_id ?? data.target} id={data.model_id} />, moved{" "}
        <Time at={data.updated_at} />.
      </p>
      {mayWrite && (
        <form className="form-line" onSubmit={submit}>
          <Field label="Move it to" fault={faultAt(move.error, "version")}>
            {(control) => (
              <select
                {...control}
                value={version}
                onChange={(event) => setVersion(event.target.value)}
              >
                <option value="">Choose a version</option>
                {(registered?.versions ?? []).map(({ id, version: of }) =>
                  of === null || id === data.model_id ? null : (
                    <option key={id} value={of}>{`${name}@${of} · ${id.slice(0, 8)}`}</option>
                  ),
                )}
              </select>
            )}
          </Field>
          <Button type="submit" disabled={version === ""} busy={move.isPending}>
            Move
          </Button>
          <Button
            disabled={data.history.length < 2}
            busy={move.isPending}
            onClick={() => move.mutate("back")}
          >
            Roll back
          </Button>
        </form>
      )}
      {move.error && <ProblemNote error={move.error} />}
    </section>
  );
}
