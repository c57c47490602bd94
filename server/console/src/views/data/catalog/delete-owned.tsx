/** Deletes a catalog, a schema or a table of the workspace, after asking; the data stays where it lies. */

import { ServiceError } from "@distillery/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { Consequences } from "./consequences.tsx";

interface DeleteOwnedProps {
  readonly workspace: string;
  readonly what: "catalog" | "schema" | "table";
  readonly path: { readonly catalog: string; readonly schema?: string; readonly table?: string };
}

export function DeleteOwned({ workspace, what, path }: DeleteOwnedProps) {
  const { catalog, schema, table } = path;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { done } = useToasts();
  const [isAsking, setIsAsking] = useState(false);
  const [isFull, setIsFull] = useState(false);
  const remove = async (): Promise<void> => {
    const own = { workspace_id: workspace, catalog_id: catalog };
    try {
      if (schema === undefined) await client.catalogs.delete.mutate({ ...own, force: isFull });
      else if (table === undefined) {
        await client.schemas.delete.mutate({ ...own, schema_id: schema, force: isFull });
      } else await client.tables.delete.mutate({ ...own, schema_id: schema, table_id: table });
    } catch (error) {
      setIsFull(error instanceof ServiceError && error.status === 409 && what !== "table");
      throw error;
    }
    done(`The ${what} was deleted.`);
    navigate("/data/catalog");
    await queries.invalidateQueries({ queryKey: ["workspace", workspace] });
  };
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete this ${what}?`}
          action={isFull ? "Delete it with all that it holds" : "Delete"}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        >
          <Consequences workspace={workspace} path={path} />
        </Confirm>
      )}
    </>
  );
}
