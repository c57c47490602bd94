/** What was run before, to take up again. */

import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/page.tsx";
import { shortened } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { forgetStatements, usePastStatements } from "./history.ts";

export function PastStatements({ onChoose }: { readonly onChoose: (sql: string) => void }) {
  const past = usePastStatements();
  if (past.length === 0) return null;
  return (
    <Card
      title="History"
      actions={
        <Button look="quiet" onClick={forgetStatements}>
          Forget all
        </Button>
      }
    >
      <p className="note">Kept in this browser, without the rows.</p>
      <ul className="past-statements">
        {past.map(({ sql, at }) => (
          <li key={sql}>
            <Button look="quiet" onClick={() => onChoose(sql)} title={shortened(sql, 2_000)}>
              <code>{shortened(sql.replace(/\s+/g, " "), 160)}</code>
            </Button>
            <span className="note">
              <Time at={new Date(at).toISOString()} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
