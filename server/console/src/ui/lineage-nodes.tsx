/** What lies on one side of something in its lineage, each with the way to it. */

import { Link } from "react-router";
import { addressOf, kindInWords, type LineageNode } from "./lineage-address.ts";
import { DataTable } from "./listing.tsx";
import { Status } from "./status.tsx";
import { Text } from "./text.tsx";
import { Time } from "./time.tsx";

interface LineageNodesProps {
  readonly caption: string;
  readonly nodes: readonly LineageNode[];
}

export function LineageNodes({ caption, nodes }: LineageNodesProps) {
  return (
    <DataTable
      caption={caption}
      items={nodes}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      columns={[
        { head: "Name", cell: (node) => <Named node={node} /> },
        { head: "What", cell: kindInWords },
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

function Named({ node }: { readonly node: LineageNode }) {
  const address = addressOf(node);
  const text = <Text of={node.name === "" ? node.id : node.name} most={80} />;
  return address === null ? text : <Link to={address}>{text}</Link>;
}
