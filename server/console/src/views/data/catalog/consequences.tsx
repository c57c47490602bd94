/** What goes when a catalog, a schema or a table is deleted, and what stays. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { Text } from "../../../ui/text.tsx";

interface ConsequencesProps {
  readonly workspace: string;
  readonly path: { readonly catalog: string; readonly schema?: string; readonly table?: string };
}

/** Children that are named. */
const FEW = 5;

const lastOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

export function Consequences({ workspace, path }: ConsequencesProps) {
  const { catalog, schema, table } = path;
  const { data } = useQuery({
    queryKey: ["workspace", workspace, "within", catalog, schema, table],
    queryFn: async ({ signal }) => {
      const own = { workspace_id: workspace, catalog_id: catalog, pageSize: FEW + 1 };
      if (schema === undefined) {
        const { schemas } = await client.schemas.list.query(own, { signal });
        return schemas.map(({ name }) => lastOf(name));
      }
      const { tables } = await client.tables.list.query({ ...own, schema_id: schema }, { signal });
      return tables.map(({ name }) => lastOf(name));
    },
    enabled: table === undefined,
    // Of a warehouse that does not answer, nothing can be said.
    retry: false,
  });
  const children = schema === undefined ? "schemas" : "tables";
  const names = data ?? [];
  return (
    <>
      {names.length > 0 && (
        <p>
          With it go its {children}: <Text of={names.slice(0, FEW).join(", ")} />
          {names.length > FEW && " and more"}.
        </p>
      )}
      <p>
        Queries and saved statements do not find{" "}
        <strong>{[catalog, schema, table].filter(Boolean).join(".")}</strong> any more. The data
        itself stays where it lies, and so do datasets that were made of it.
      </p>
    </>
  );
}

/** Why there is no way to rename. */
export function NameNote({ what }: { readonly what: "catalog" | "schema" | "table" }) {
  return (
    <p className="note">
      The name of a {what} stays: statements, datasets and other tools find it by that. For another
      name, make another one and delete this one; the data does not move.
    </p>
  );
}
