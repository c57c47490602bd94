/** What people call the schema of an id. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { shortened } from "../../../ui/text.tsx";
import { schemaName, UUID } from "./schema-name.ts";

/** The id itself until its schema is known, and where the schema is gone. */
export function useSchemaName(id: string, most: number): string {
  const { data } = useQuery({
    queryKey: ["model", id],
    queryFn: ({ signal }) => client.models.get.query({ model_id: id }, { signal }),
    enabled: UUID.test(id),
    retry: false,
    staleTime: 60_000,
  });
  return data?.type === "document_schema" ? schemaName(data, most) : shortened(id, most);
}
