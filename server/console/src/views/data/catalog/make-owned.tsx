/** Makes a catalog or a schema: an own one, or, of a warehouse, one that shows what is there. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";

interface MakeCatalogProps {
  readonly workspace: string;
  /** The connector of a warehouse that it is to show first; null = an own catalog. */
  readonly of: string | null;
}

export function MakeCatalog({ workspace, of }: MakeCatalogProps) {
  const [id, setId] = useState(of === null ? "" : segmentOf(of));
  const [connector, setConnector] = useState(of ?? "");
  /** As it was written; null = the one that the connector's URL names. */
  const [written, setWritten] = useState<string | null>(null);
  const { data: warehouses } = useQuery({
    queryKey: ["connectors", "warehouse"],
    queryFn: ({ signal }) => client.warehouseConnectors.list.query({ limit: 200 }, { signal }),
  });
  const { data: chosen } = useQuery({
    queryKey: ["connectors", "warehouse", connector],
    queryFn: ({ signal }) =>
      client.warehouseConnectors.get.query({ connector_name: connector }, { signal }),
    enabled: connector !== "",
  });
  const sourceCatalog = written ?? (chosen === undefined ? "" : databaseOf(chosen));
  const { make, busy, error } = useMaking(workspace, async () => {
    await client.catalogs.create.mutate({
      ...{ workspace_id: workspace, catalogId: id },
      catalog:
        connector === ""
          ? {}
          : {
              relational: {
                connector: `workspaces/${workspace}/connectors/${connector}`,
                sourceCatalog,
              },
            },
    });
    return `/data/catalog/${id}`;
  });
  return (
    <form onSubmit={make}>
      <div className="form-row">
        <NameField value={id} onChange={setId} fault={faultAt(error, "catalogId")} />
        <Field label="Its schemas" fault={faultAt(error, "relational.connector")}>
          {(control) => (
            <select
              {...control}
              value={connector}
              onChange={({ target }) => setConnector(target.value)}
            >
              <option value="">are made here</option>
              {warehouses?.items.map(({ connector_name: name }) => (
                <option key={name} value={name}>
                  are those of {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {connector !== "" && (
          <Field
            label="Catalog there"
            hint="Of PostgreSQL, the database's name."
            fault={faultAt(error, "relational.sourceCatalog")}
          >
            {(control) => (
              <input
                {...control}
                value={sourceCatalog}
                required
                onChange={({ target }) => setWritten(target.value)}
              />
            )}
          </Field>
        )}
      </div>
      {error !== null && <ProblemNote error={error} />}
      <div className="actions">
        <Button look="main" type="submit" busy={busy}>
          Make the catalog
        </Button>
      </div>
    </form>
  );
}

/** A name of the catalog, of one that connectors may have. */
const segmentOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63);

/** Of PostgreSQL the database, which is its only catalog; Trino's URL names none. */
function databaseOf({ kind, url }: { readonly kind: string; readonly url: string }): string {
  return kind === "postgres" && URL.canParse(url)
    ? decodeURIComponent(new URL(url).pathname.slice(1))
    : "";
}

export function MakeSchema({
  workspace,
  catalog,
}: {
  readonly workspace: string;
  readonly catalog: string;
}) {
  const [id, setId] = useState("main");
  const { make, busy, error } = useMaking(workspace, async () => {
    const path = { workspace_id: workspace, catalog_id: catalog };
    await client.schemas.create.mutate({ ...path, schemaId: id, schema: {} });
    return `/data/catalog/${catalog}/${id}`;
  });
  return (
    <form onSubmit={make}>
      <NameField value={id} onChange={setId} fault={faultAt(error, "schemaId")} />
      {error !== null && <ProblemNote error={error} />}
      <div className="actions">
        <Button look="main" type="submit" busy={busy}>
          Make the schema
        </Button>
      </div>
    </form>
  );
}

function NameField({
  value,
  onChange,
  fault,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly fault: string | undefined;
}) {
  return (
    <Field
      label="Name"
      hint="Small letters, digits and underscores, beginning with a letter."
      fault={fault}
    >
      {(control) => (
        <input
          {...control}
          value={value}
          pattern="[a-z][a-z0-9_]{0,62}"
          required
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** @param create makes it, and says where it is then */
export function useMaking(workspace: string, create: () => Promise<string>) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const work = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const address = await create();
      await queries.invalidateQueries({ queryKey: ["workspace", workspace] });
      navigate(address);
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  const make = (event: FormEvent): void => {
    event.preventDefault();
    void work();
  };
  return { make, busy, error };
}
