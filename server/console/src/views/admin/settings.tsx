/** By which settings the process runs, and where each comes from. Secrets are never shown. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";

const SOURCES = {
  environment: "environment",
  option: "command line",
  default: "default",
} as const;

export function Settings() {
  const { data, error, refetch } = useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => client.service.settings.query({}, { signal }),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  return (
    <Card title="Settings as read">
      <p className="note">
        Of the process that answers. They are set in its environment before it starts;{" "}
        <code>npx -y pnpm@12 start --help</code> says what each does.
      </p>
      <DataTable
        caption="Settings"
        items={data.settings}
        keyOf={({ name }) => name}
        columns={[
          { head: "Variable", cell: ({ name }) => <code>{name}</code> },
          {
            head: "Value",
            cell: ({ value, is_secret, is_set }) =>
              value !== null ? <Text of={value} /> : is_secret && is_set ? "set" : "not set",
          },
          { head: "From", cell: ({ source }) => SOURCES[source] },
        ]}
      />
    </Card>
  );
}
