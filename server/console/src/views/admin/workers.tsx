/** Who works the queue, what each is at, and what waits. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../api/client.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { count, counted } from "../../ui/numbers.ts";
import { Card, Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";

const REFRESH_MS = 3_000;

export function Workers() {
  const workers = useQuery({
    queryKey: ["workers"],
    queryFn: ({ signal }) => client.service.workers.query({}, { signal }),
    refetchInterval: REFRESH_MS,
  });
  const queue = useQuery({
    queryKey: ["queue"],
    queryFn: ({ signal }) => client.service.queue.query({}, { signal }),
    refetchInterval: REFRESH_MS,
  });
  const error = workers.error ?? queue.error;
  if (workers.data === undefined || queue.data === undefined) {
    return error ? <ProblemNote error={error} /> : <Loading />;
  }
  const { queues } = queue.data;
  const running = queues.reduce((sum, each) => sum + each.running, 0);
  const waiting = queues.reduce((sum, each) => sum + each.waiting, 0);
  return (
    <>
      {error && <ProblemNote error={error} />}
      <Card title={counted(workers.data.workers.length, "worker")}>
        {workers.data.workers.length === 0 ? (
          <Empty title="Nobody takes jobs">
            <p>
              Start the server with <code>DISTILLERY_WORKERS</code> above 0, or{" "}
              <code>npx -y pnpm@12 worker</code> beside it.
            </p>
          </Empty>
        ) : (
          <WorkerTable workers={workers.data.workers} />
        )}
      </Card>
      <Card title={`${count(running)} running, ${count(waiting)} waiting`}>
        <DataTable
          caption="Queue by kind of work"
          // What gives tasks up is of interest only while there are some.
          items={queues.filter(
            (each) => each.waiting + each.running > 0 || !each.queue.endsWith(".exhausted"),
          )}
          keyOf={({ queue: name }) => name}
          columns={[
            { head: "Kind of work", cell: (each) => workOf(each.queue) },
            { head: "Running", cell: (each) => count(each.running), isNumber: true },
            { head: "Waiting", cell: (each) => count(each.waiting), isNumber: true },
            {
              head: "Oldest waits since",
              cell: ({ oldest_waiting_at: at }) => (at === null ? "–" : <Time at={at} />),
            },
          ]}
        />
      </Card>
    </>
  );
}

type Worker = Outputs["service"]["workers"]["workers"][number];

function WorkerTable({ workers }: { readonly workers: readonly Worker[] }) {
  return (
    <DataTable
      caption="Processes that take jobs"
      items={workers}
      keyOf={({ id }) => id}
      columns={[
        {
          head: "Where",
          cell: ({ host, pid }) => (
            <span>
              <Text of={host} most={40} /> <small>process {pid}</small>
            </span>
          ),
        },
        { head: "Version", cell: ({ version }) => version },
        { head: "Threads", cell: ({ threads }) => count(threads), isNumber: true },
        { head: "Devices", cell: (worker) => <Devices of={worker} /> },
        { head: "Since", cell: ({ started_at }) => <Time at={started_at} /> },
        { head: "Last seen", cell: ({ seen_at }) => <Time at={seen_at} /> },
        {
          head: "Works on",
          cell: ({ tasks }) =>
            tasks.length === 0 ? (
              "nothing"
            ) : (
              <ul className="worker-tasks">
                {tasks.map(({ id, queue, since, attempt, resource_id }) => (
                  <li key={id}>
                    <Work queue={queue} id={resource_id} />, begun <Time at={since} />
                    {attempt > 1 && `, attempt ${attempt}`}
                  </li>
                ))}
              </ul>
            ),
        },
      ]}
    />
  );
}

/** What it has, and where it has nothing, why. */
function Devices({ of: { devices, missing_devices } }: { readonly of: Worker }) {
  if (devices.length === 0) return <span title={missing_devices.join("\n")}>CPU</span>;
  return (
    <ul className="worker-tasks">
      {devices.map(({ name, backend, driver, state, is_software, reason }) => (
        <li key={name} title={driver}>
          <Text of={name} most={40} />{" "}
          <small>
            {[backend, is_software ? "software" : null, state].filter(Boolean).join(", ")}
          </small>
          {reason !== null && <small>: {reason}</small>}
        </li>
      ))}
    </ul>
  );
}

/** Kinds of work in people's words; a queue without any is named as it is. */
const WORK: Readonly<Record<string, string>> = {
  "training.run": "Training",
  "serving.batch_predict": "Batch predictions",
  "models.evaluate": "Evaluations",
  "documents.parse": "Reading documents",
  "documents.induce": "Finding questions",
  "documents.extract": "Reading answers",
};

const GIVEN_UP = ".exhausted";

function workOf(queue: string): string {
  const isGivenUp = queue.endsWith(GIVEN_UP);
  const kind = isGivenUp ? queue.slice(0, -GIVEN_UP.length) : queue;
  return `${WORK[kind] ?? kind}${isGivenUp ? ", given up" : ""}`;
}

/** Where what is worked on can be watched. */
const VIEWS: Readonly<Record<string, string>> = {
  "training.run": "/train/runs/",
  "serving.batch_predict": "/serve/batch/",
  "documents.extract": "/documents/extractions/",
};

function Work({ queue, id }: { readonly queue: string; readonly id: string | null }) {
  const view = VIEWS[queue];
  if (id === null) return workOf(queue);
  const text = `${workOf(queue)} ${id.slice(0, 8)}`;
  return view === undefined ? text : <Link to={view + encodeURIComponent(id)}>{text}</Link>;
}
