/** Models by the references that endpoints name them by: their names, and a choice of them. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../api/client.ts";
import type { ControlProps } from "../../ui/field.tsx";
import { Text } from "../../ui/text.tsx";

type Model = Outputs["models"]["list"]["models"][number];
type RegisteredName = Outputs["registry"]["list"]["names"][number];

/** So many of the newest are offered; others by what is typed. */
const OFFERED = 200;
const STALE_MS = 30_000;

/** Completed trained models, newest first, and the names of the registry. */
export function useModels(): {
  readonly models: readonly Model[];
  readonly names: readonly RegisteredName[];
} {
  const { data: models } = useQuery({
    queryKey: ["models", "to-serve"],
    queryFn: ({ signal }) =>
      client.models.list.query({ limit: OFFERED, type: "trained" }, { signal }),
    staleTime: STALE_MS,
  });
  const { data: names } = useQuery({
    queryKey: ["registry", "to-serve"],
    queryFn: ({ signal }) => client.registry.list.query({ limit: OFFERED }, { signal }),
    staleTime: STALE_MS,
  });
  return {
    models: (models?.models ?? []).filter(({ status }) => status === "completed"),
    names: names?.names ?? [],
  };
}

const titleOf = ({ name, version }: { name: string; version?: number | null }): string =>
  version ? `${name}@${version}` : name;

/** A model by its name and the beginning of its id, leading to it. */
export function ModelLink({
  reference,
  id,
}: {
  readonly reference: string;
  /** What the reference means now; null where it means nothing. */
  readonly id: string | null;
}) {
  const { models } = useModels();
  const model = models.find((each) => each.id === id);
  const isName = reference !== id;
  return (
    <span className="model">
      <Link to={`/models/${encodeURIComponent(reference)}`}>
        <Text
          of={isName ? reference : model ? titleOf(model) : `Model ${reference.slice(0, 8)}`}
          most={60}
        />
      </Link>{" "}
      {id !== null && <small className="note">{id.slice(0, 8)}</small>}
    </span>
  );
}

interface ModelChoiceProps {
  readonly control: ControlProps;
  readonly value: string;
  readonly onChange: (reference: string) => void;
  /** The words for no model at all, where that is a choice. */
  readonly none?: string;
  /** References that are taken already. */
  readonly without?: readonly string[];
}

/** A reference to a model: an alias, the latest of a name, or one model for good. */
export function ModelChoice({ control, value, onChange, none, without = [] }: ModelChoiceProps) {
  const { models, names } = useModels();
  const free = (reference: string): boolean => reference === value || !without.includes(reference);
  const aliases = names.flatMap(({ name, aliases: own }) =>
    own.map(({ alias }) => `${name}@${alias}`),
  );
  const latest = names.filter(({ latest_model_id }) => latest_model_id !== null);
  const known =
    value === "" ||
    aliases.includes(value) ||
    latest.some(({ name }) => name === value) ||
    models.some(({ id }) => id === value);
  return (
    <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none ?? "Choose a model"}</option>
      {!known && <option value={value}>{value}</option>}
      {aliases.some(free) && (
        <optgroup label="Aliases: the endpoint follows where they move">
          {aliases.filter(free).map((reference) => (
            <option key={reference}>{reference}</option>
          ))}
        </optgroup>
      )}
      {latest.some(({ name }) => free(name)) && (
        <optgroup label="Names: the endpoint follows the latest version">
          {latest
            .filter(({ name }) => free(name))
            .map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
        </optgroup>
      )}
      {models.some(({ id }) => free(id)) && (
        <optgroup label="Models: this one for good">
          {models
            .filter(({ id }) => free(id))
            .map((model) => (
              <option key={model.id} value={model.id}>
                {`${titleOf(model)} · ${model.id.slice(0, 8)}`}
              </option>
            ))}
        </optgroup>
      )}
    </select>
  );
}
