/** Statements over the workspace's tables: written, run, looked at, kept as a dataset. */

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { DataTabs } from "../data-tabs.tsx";
import { MakeDataset } from "../make-dataset.tsx";
import { WithWorkspace } from "../with-workspace.tsx";
import { rememberStatement } from "./history.ts";
import { useKnownNames } from "./known-names.ts";
import { PastStatements } from "./past-statements.tsx";
import { PlanView, type QueryPlan } from "./plan-view.tsx";
import { showStatement } from "./query-client.ts";
import type { QueryResult } from "./result.ts";
import { ResultView } from "./result-view.tsx";
import { Running } from "./running.tsx";
import { useSaved } from "./saved.ts";
import { SavedBar } from "./saved-bar.tsx";
import { SavedList } from "./saved-list.tsx";

const Editor = lazy(() => import("./editor.tsx"));

export function SqlPage() {
  return (
    <Page
      title="SQL"
      lead="One SELECT over datasets and over tables of files and databases; only what it needs is read."
    >
      <DataTabs />
      <WithWorkspace>{(workspace) => <Workbench workspace={workspace} />}</WithWorkspace>
    </Page>
  );
}

type Outcome =
  | {
      readonly kind: "rows";
      readonly sql: string;
      readonly result: QueryResult;
      readonly ms: number;
    }
  | { readonly kind: "plan"; readonly plan: QueryPlan }
  | { readonly kind: "failure"; readonly error: unknown }
  | { readonly kind: "cancelled" };

const ROW_LIMITS = [1_000, 10_000, 100_000, 1_000_000] as const;
/** Longer statements do not go into the address. */
const LONGEST_IN_ADDRESS = 2_000;

function Workbench({ workspace }: { readonly workspace: string }) {
  const [query, setQuery] = useSearchParams();
  const [start, setStart] = useState({ sql: query.get("sql") ?? "", edition: 0 });
  const [text, setText] = useState(start.sql);
  const [maxRows, setMaxRows] = useState<number>(ROW_LIMITS[0]);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [startedAt, setStartedAt] = useState<number | null>(null);
  const [isMaking, setIsMaking] = useState(false);
  const mayMake = useScope("datasets:write");
  const mayChange = useScope("workspace:write");
  const navigate = useNavigate();
  const savedId = query.get("saved");
  const { data: saved = null, error: notSaved } = useSaved(workspace, savedId);
  /** The saved statement that is in the editor. */
  const [openedId, setOpenedId] = useState<string | null>(null);
  const [leavingTo, setLeavingTo] = useState<string | null>(null);
  const names = useKnownNames(workspace);
  const queries = useQueryClient();
  const abort = useRef<AbortController>(null);
  // What nobody waits for any more ends.
  useEffect(() => () => abort.current?.abort(), []);
  const sql = text.trim().replace(/;\s*$/, "");
  const isRunning = startedAt !== null;

  const attempt = async (work: (signal: AbortSignal) => Promise<Outcome>): Promise<void> => {
    if (sql === "" || abort.current !== null) return;
    const own = new AbortController();
    abort.current = own;
    setStartedAt(Date.now());
    try {
      setOutcome(await work(own.signal));
    } catch (error) {
      setOutcome(own.signal.aborted ? { kind: "cancelled" } : { kind: "failure", error });
    } finally {
      abort.current = null;
      setStartedAt(null);
    }
  };
  const run = (): void => {
    rememberStatement(sql);
    setQuery(
      (before) => {
        if (sql.length <= LONGEST_IN_ADDRESS) before.set("sql", sql);
        else before.delete("sql");
        return before;
      },
      { replace: true },
    );
    void attempt(async (signal) => {
      const began = performance.now();
      const result = await showStatement({ workspace, sql, maxRows }, signal);
      return { kind: "rows", sql, result, ms: performance.now() - began };
    });
  };
  const explain = (): void => {
    void attempt(async (signal) => {
      const plan = await client.queries.explain.mutate(
        { workspace_id: workspace, sql },
        { signal },
      );
      return { kind: "plan", plan };
    });
  };
  const write = (statement: string): void => {
    setText(statement);
    setStart(({ edition }) => ({ sql: statement, edition: edition + 1 }));
  };
  if (savedId !== openedId && (savedId === null || saved !== null)) {
    setOpenedId(savedId);
    // What the address says is later than what was saved.
    const asked = query.get("sql") ?? saved?.sql;
    if (asked !== undefined && asked !== text) write(asked);
  }
  const isChanged = saved !== null && text !== saved.sql;
  const open = (id: string | null): void =>
    setQuery((before) => {
      before.delete("sql");
      if (id === null) before.delete("saved");
      else before.set("saved", id);
      return before;
    });
  const maySwitch = (address: string): boolean => {
    if (isChanged) setLeavingTo(address);
    return !isChanged;
  };
  return (
    <>
      {notSaved && savedId !== null && (
        <ProblemNote error={notSaved}>
          <Button onClick={() => open(null)}>Write a new statement</Button>
        </ProblemNote>
      )}
      {(savedId === null || saved !== null) && (
        <SavedBar
          workspace={workspace}
          saved={savedId === null ? null : saved}
          {...{ text, isChanged, mayChange }}
          onOpen={open}
        />
      )}
      {names?.hasNoTables === true && <NoTables />}
      {sql === "" && <Example names={names?.tables ?? []} onChoose={write} />}
      <Suspense fallback={<Loading />}>
        <Editor
          key={start.edition}
          start={start.sql}
          names={names}
          onChange={setText}
          onRun={run}
        />
      </Suspense>
      <div className="row">
        {isRunning ? (
          <Button look="danger" onClick={() => abort.current?.abort()}>
            Cancel
          </Button>
        ) : (
          <Button look="main" disabled={sql === ""} onClick={run} title="Ctrl-Enter">
            Run
          </Button>
        )}
        <Button disabled={sql === "" || isRunning} onClick={explain}>
          Explain
        </Button>
        {mayMake && (
          <Button disabled={sql === "" || isRunning} onClick={() => setIsMaking(true)}>
            Make a dataset of this
          </Button>
        )}
        <label className="row-limit">
          Show up to
          <select value={maxRows} onChange={({ target }) => setMaxRows(Number(target.value))}>
            {ROW_LIMITS.map((limit) => (
              <option key={limit} value={limit}>
                {limit.toLocaleString("en")} rows
              </option>
            ))}
          </select>
        </label>
        <Button
          look="quiet"
          onClick={() => {
            void queries.invalidateQueries({ queryKey: ["workspace", workspace] });
            void queries.invalidateQueries({ queryKey: ["datasets", "in-sql", workspace] });
          }}
        >
          Look for new tables
        </Button>
      </div>
      {startedAt !== null && <Running since={startedAt} />}
      {!isRunning && outcome !== null && (
        <OutcomeView outcome={outcome} workspace={workspace} maxRows={maxRows} />
      )}
      <SavedList workspace={workspace} onLeave={maySwitch} />
      <PastStatements onChoose={write} />
      {leavingTo !== null && (
        <Confirm
          title="Leave without saving?"
          action="Leave"
          onClose={() => setLeavingTo(null)}
          onConfirm={async () => {
            setLeavingTo(null);
            await navigate(leavingTo);
          }}
        >
          <p>The changes of this statement were not saved.</p>
        </Confirm>
      )}
      {isMaking && (
        <MakeDataset of={{ sql }} suggestedName="query" onClose={() => setIsMaking(false)} />
      )}
    </>
  );
}

function NoTables() {
  return (
    <p className="note">
      There is nothing to query yet. SQL reads every dataset, so{" "}
      <Link to="/data/upload">upload a file</Link>, and the tables of the{" "}
      <Link to="/data/catalog">catalog</Link>: files where they lie, or a database&apos;s, by way of
      a <Link to="/data/connectors">connector</Link>.
    </p>
  );
}

/** A statement to begin with, over what is there. */
function Example({
  names,
  onChoose,
}: {
  readonly names: readonly string[];
  readonly onChoose: (statement: string) => void;
}) {
  const name = names.find((each) => each.startsWith("datasets.")) ?? names[0];
  if (name === undefined) return null;
  const statement = `SELECT * FROM ${name} LIMIT 100`;
  return (
    <p className="note">
      To begin with:{" "}
      <Button look="quiet" onClick={() => onChoose(statement)}>
        <code>{statement}</code>
      </Button>
    </p>
  );
}

function OutcomeView({
  outcome,
  workspace,
  maxRows,
}: {
  readonly outcome: Outcome;
  readonly workspace: string;
  readonly maxRows: number;
}) {
  switch (outcome.kind) {
    case "rows": {
      const { result, sql, ms } = outcome;
      return <ResultView result={result} statement={{ workspace, sql, maxRows }} ms={ms} />;
    }
    case "plan":
      return <PlanView plan={outcome.plan} />;
    case "failure":
      return <ProblemNote error={outcome.error} />;
    case "cancelled":
      return <p role="status">Cancelled; the statement was ended.</p>;
  }
}
