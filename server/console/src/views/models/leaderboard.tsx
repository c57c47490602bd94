/** Models of all runs: ranked where their scores can be compared, by name where they have one. */

import type { Outputs } from "@distillery/client";
import { plural, score, seconds } from "@distillery/engine/charts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { client } from "../../api/client.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { stateOf } from "../../ui/job-state.ts";
import { DataTable, Listing } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { size } from "../../ui/numbers.ts";
import { Card, Empty, Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { Registry } from "./registry.tsx";

type Board = Outputs["leaderboard"]["get"];
type Entry = Board["models"][number];
type Group = Board["groups"][number];

const TABS = { ranking: "Leaderboard", all: "All models", names: "Names and aliases" } as const;
/** So many stand side by side. */
const COMPARED = 2;

export function Leaderboard() {
  const tab = useTab(TABS);
  return (
    <Page title="Models" lead="What runs have made: compare, understand and choose.">
      <Tabs label="Kinds of lists" tabs={TABS} chosen={tab} />
      {tab === "ranking" && <Ranking />}
      {tab === "all" && <AllModels />}
      {tab === "names" && <Registry />}
    </Page>
  );
}

function Ranking() {
  const [params, setParams] = useSearchParams();
  const group = params.get("group") ?? undefined;
  const dataset = params.get("dataset") ?? undefined;
  const metric = params.get("metric") ?? undefined;
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["models", "leaderboard", group, dataset, metric],
      queryFn: ({ pageParam, signal }) =>
        client.leaderboard.get.query(
          { limit: 50, page_token: pageParam, group, dataset_id: dataset, metric },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_page_token: next }) => (next ? next : undefined),
    },
  );
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const [first] = data.pages;
  const more = hasNextPage && (
    <p>
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </p>
  );
  if (first?.metric == null) {
    const groups = data.pages.flatMap((page) => page.groups);
    if (groups.length === 0) {
      return (
        <Empty title="No model yet" action={<ButtonLink to="/train/new">Train a model</ButtonLink>}>
          <p>A completed run makes one. They are ranked here, across runs.</p>
        </Empty>
      );
    }
    return (
      <>
        <p className="note">
          Scores can be compared where models predict the same from the same rows. Choose what to
          rank.
        </p>
        <Groups groups={groups} />
        {more}
      </>
    );
  }
  const [ranked] = first.groups;
  return (
    <>
      {ranked && (
        <GroupHead
          group={ranked}
          metric={first.metric}
          isChosen={group !== undefined || dataset !== undefined}
          onMetric={(name) => {
            const after = new URLSearchParams(params);
            after.set("metric", name);
            setParams(after, { replace: true });
          }}
        />
      )}
      <Ranked
        entries={data.pages.flatMap((page) => page.models)}
        metric={first.metric}
        direction={first.direction}
      />
      {more}
    </>
  );
}

function Groups({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <div className="columns">
      {groups.map((group) => (
        <Card key={group.group}>
          <h2>
            <Link to={{ search: `?group=${group.group}` }}>
              <Text of={String(group.task["label_column"] ?? "")} most={60} />
            </Link>
          </h2>
          <p className="note">
            {kindOf(group)} from <Text of={group.dataset.name} most={60} />
            {", "}
            {plural(group.dataset.rows, "row")}
          </p>
          <p>{plural(group.models, "model")}</p>
        </Card>
      ))}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  binclass: "Two classes",
  multiclass: "Classes",
  regression: "A number",
  quantile_regression: "Quantiles of a number",
  forecasting: "Forecasts",
  sequence_binclass: "Two classes of sequences",
  sequence_multiclass: "Classes of sequences",
  sequence_regression: "A number of sequences",
};

function kindOf({ task }: Group): string {
  const kind = String(task["task_kind"] ?? "");
  return KINDS[kind] ?? kind.replaceAll("_", " ");
}

function GroupHead({
  group,
  metric,
  isChosen,
  onMetric,
}: {
  readonly group: Group;
  readonly metric: string;
  readonly isChosen: boolean;
  readonly onMetric: (name: string) => void;
}) {
  return (
    <div className="head">
      <div>
        <h2>
          <Text of={String(group.task["label_column"] ?? "")} most={60} />
        </h2>
        <p className="note">
          {kindOf(group)} from <Text of={group.dataset.name} most={60} />,{" "}
          {plural(group.dataset.rows, "row")}
          {isChosen && (
            <>
              {" · "}
              <Link to="/models">All that can be ranked</Link>
            </>
          )}
        </p>
      </div>
      <label className="row">
        <span className="note">Ranked by</span>
        <select value={metric} onChange={({ target }) => onMetric(target.value)}>
          {[...new Set([metric, ...group.metrics])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Ranked({
  entries,
  metric,
  direction,
}: {
  readonly entries: readonly Entry[];
  readonly metric: string;
  readonly direction: Board["direction"];
}) {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  // The address follows a moment later, and a box must not wait for it.
  const [chosen, setChosen] = useState(() =>
    (params.get("compare") ?? "").split(",").filter((id) => id !== ""),
  );
  const choose = (id: string, isOn: boolean): void => {
    const after = new URLSearchParams(params);
    const all = isOn ? [...chosen, id].slice(-COMPARED) : chosen.filter((other) => other !== id);
    setChosen(all);
    if (all.length === 0) after.delete("compare");
    else after.set("compare", all.join(","));
    setParams(after, { replace: true });
  };
  return (
    <>
      <div className="head">
        <p className="note">
          Held-out scores; {direction === "minimize" ? "lower" : "higher"} is better.
        </p>
        <Button
          disabled={chosen.length !== COMPARED}
          onClick={() => navigate(`/models/compare?models=${chosen.join(",")}`)}
        >
          {chosen.length === COMPARED ? "Compare the two" : "Choose two to compare"}
        </Button>
      </div>
      <DataTable
        caption="Leaderboard"
        items={entries}
        keyOf={({ model_id }) => model_id}
        columns={[
          {
            head: "Compare",
            isChoice: true,
            cell: ({ model_id, name }) => (
              <input
                type="checkbox"
                aria-label={`Compare ${name}`}
                checked={chosen.includes(model_id)}
                onChange={({ target }) => choose(model_id, target.checked)}
              />
            ),
          },
          { head: "Model", cell: (entry) => <Named entry={entry} /> },
          { head: "Rank", cell: ({ rank }) => String(rank), isNumber: true },
          { head: metric, cell: (entry) => <strong>{score(entry.score)}</strong>, isNumber: true },
          {
            head: "Families",
            cell: ({ families }) => families.join(", ").replaceAll("_", " "),
          },
          {
            head: "Fitted in",
            cell: ({ fit_seconds }) => (fit_seconds === null ? "–" : seconds(fit_seconds)),
            isNumber: true,
          },
          {
            head: "1,000 rows in",
            cell: ({ predict_seconds }) =>
              predict_seconds === null
                ? "–"
                : `${Number((1000 * predict_seconds).toPrecision(2))} ms`,
            isNumber: true,
          },
          { head: "Size", cell: ({ bytes }) => size(bytes), isNumber: true },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </>
  );
}

function Named({ entry }: { readonly entry: Entry }) {
  return (
    <>
      <Link to={`/models/${entry.model_id}`}>
        <Text of={entry.name} most={60} />
      </Link>
      {entry.version !== null && <span className="note"> version {entry.version}</span>}
      {entry.aliases.map((alias) => (
        <span key={alias}>
          {" "}
          <span className="tag">
            <Text of={alias} most={40} />
          </span>
        </span>
      ))}
    </>
  );
}

function AllModels() {
  return (
    <Listing
      queryKey={["models", "all"]}
      caption="Models"
      page={async (page_token, signal) => {
        const { models: items, next_page_token: next } = await client.models.list.query(
          { limit: 50, page_token, type: "trained" },
          { signal },
        );
        return { items, next };
      }}
      keyOf={({ id }) => id}
      columns={[
        {
          head: "Model",
          cell: ({ id, name }) => (
            <Link to={`/models/${id}`}>
              <Text of={name} most={80} />
            </Link>
          ),
        },
        { head: "State", cell: (model) => <Status of={stateOf(model)} /> },
        { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <Empty title="No model yet" action={<ButtonLink to="/train/new">Train a model</ButtonLink>}>
          <p>A completed run makes one.</p>
        </Empty>
      }
    />
  );
}
