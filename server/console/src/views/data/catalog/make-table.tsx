/** Makes a table of the files below an address that a connector gives access to. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../api/client.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useMaking } from "./make-owned.tsx";

interface MakeTableProps {
  readonly workspace: string;
  readonly catalog: string;
  readonly schema: string;
}

export function MakeTable({ workspace, catalog, schema }: MakeTableProps) {
  const [id, setId] = useState("");
  const [connector, setConnector] = useState("");
  const [path, setPath] = useState("");
  const { data: stores } = useQuery({
    queryKey: ["connectors", "objstore"],
    queryFn: ({ signal }) => client.objectStoreConnectors.list.query({ limit: 200 }, { signal }),
  });
  const { make, busy, error } = useMaking(workspace, async () => {
    await client.tables.create.mutate({
      ...{ workspace_id: workspace, catalog_id: catalog, schema_id: schema, tableId: id },
      table: {
        spec: {
          listing: {
            connector: `workspaces/${workspace}/connectors/${connector}`,
            tablePaths: [path],
          },
        },
      },
    });
    return `/data/catalog/${catalog}/${schema}/${id}`;
  });
  if (stores?.items.length === 0) {
    return (
      <>
        <p>A table of files needs a connector to the object store where they lie.</p>
        <ButtonLink to="/data/connectors/new">Make a connector</ButtonLink>
      </>
    );
  }
  const chosen = stores?.items.find((each) => each.connector_name === connector);
  return (
    <form onSubmit={make}>
      <div className="form-row">
        <Field label="Name" fault={faultAt(error, "tableId")}>
          {(control) => (
            <input
              {...control}
              value={id}
              pattern="[a-z][a-z0-9_]{0,62}"
              required
              onChange={({ target }) => setId(target.value)}
            />
          )}
        </Field>
        <Field label="Connector" fault={faultAt(error, "spec.listing.connector")}>
          {(control) => (
            <select
              {...control}
              value={connector}
              required
              onChange={({ target }) => {
                setConnector(target.value);
                const store = stores?.items.find((each) => each.connector_name === target.value);
                if (store) setPath(store.url);
              }}
            >
              <option value="">Choose…</option>
              {stores?.items.map(({ connector_name: name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Address of the files"
          hint={chosen ? `Below ${chosen.url}; a folder ends with a slash.` : undefined}
          fault={faultAt(error, "spec.listing.tablePaths.0")}
        >
          {(control) => (
            <input
              {...control}
              value={path}
              required
              onChange={({ target }) => setPath(target.value)}
            />
          )}
        </Field>
      </div>
      {error !== null && <ProblemNote error={error} />}
      <div className="actions">
        <Button look="main" type="submit" busy={busy}>
          Make the table
        </Button>
      </div>
    </form>
  );
}
