/** The workspace's saved statements, to open. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { Listing } from "../../../ui/listing.tsx";
import { Card } from "../../../ui/page.tsx";
import { shortened, Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { idOf, listKey } from "./saved.ts";

interface SavedListProps {
  readonly workspace: string;
  /** Asked before another one is opened; false = stay. */
  readonly onLeave: (address: string) => boolean;
}

export function SavedList({ workspace, onLeave }: SavedListProps) {
  return (
    <Card title="Saved statements">
      <Listing
        queryKey={listKey(workspace)}
        caption="Saved statements"
        page={async (pageToken, signal) => {
          const { statements: items, nextPageToken: next } = await client.statements.list.query(
            { workspace_id: workspace, pageSize: 50, pageToken },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ name }) => name}
        columns={[
          {
            head: "Name",
            cell: (saved) => {
              const address = `/data/sql?saved=${idOf(saved)}`;
              return (
                <Link
                  to={address}
                  onClick={(event) => {
                    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
                    if (isPlain && !onLeave(address)) event.preventDefault();
                  }}
                >
                  <Text of={saved.title} />
                </Link>
              );
            },
          },
          {
            head: "Statement",
            cell: ({ sql }) => (
              <code className="saved-sql" title={shortened(sql, 2_000)}>
                {shortened(sql.replace(/\s+/g, " "), 100)}
              </code>
            ),
          },
          { head: "Changed", cell: ({ updateTime }) => <Time at={updateTime} /> },
        ]}
        empty={<p className="note">None yet. Save a statement to find it again, by its address.</p>}
      />
    </Card>
  );
}
