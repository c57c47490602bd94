/** What lies on one side of something in its lineage, each with the way to it. */

import { Link } from "react-router";
import { DataTable } from "./listing.tsx";
import { Status } from "./status.tsx";
import { Text } from "./text.tsx";
import { Time } from "./time.tsx";

interface Node {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly state: string | null;
  readonly created_at: string | null;
  readonly deleted: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface LineageNodesProps {
  readonly caption: string;
  readonly nodes: readonly Node[];
}

export function LineageNodes({ caption, nodes }: LineageNodesProps) {
  return (
    <DataTable
      caption={caption}
      items={nodes}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      columns={[
        { head: "Name", cell: (node) => <Named node={node} /> },
        { head: "What", cell: (node) => KINDS[kindOf(node)] ?? kindOf(node).replaceAll("_", " ") },
        {
          head: "State",
          cell: ({ state, deleted }) =>
            deleted ? <Status of="deleted" /> : state === null ? "–" : <Status of={state} />,
        },
        { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** By kind, of jobs by theirs; what has no view has no address. */
const ADDRESSES: Readonly<Record<string, string>> = {
  dataset: "/data/datasets/",
  model: "/models/",
  document: "/documents/",
  document_schema: "/documents/schemas/",
  endpoint: "/serve/endpoints/",
  training: "/train/runs/",
  batch_prediction: "/serve/batch/",
  extraction: "/documents/extractions/",
};

/** Where the kind's own name does not say it. */
const KINDS: Readonly<Record<string, string>> = {
  training: "run",
  endpoint: "serving endpoint",
};

function kindOf({ kind, facts }: Node): string {
  const { job_kind: jobKind } = facts;
  return kind === "job" && typeof jobKind === "string" ? jobKind : kind;
}

function Named({ node }: { readonly node: Node }) {
  const { id, name, deleted } = node;
  const address = ADDRESSES[kindOf(node)];
  const text = <Text of={name === "" ? id : name} most={80} />;
  if (deleted || address === undefined) return text;
  return <Link to={`${address}${encodeURIComponent(id)}`}>{text}</Link>;
}
