/** Training through the API: the request, the wait, the log, the model's bytes. */

import type { ServerUser } from "./server.ts";

export interface LogEvent {
  readonly id: number;
  readonly event: { readonly type: string; readonly trial?: number; readonly fold?: number };
}

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly model_id: string;
  readonly error_message: string;
  /** Opens without a token. */
  readonly result_uri: string;
}

export async function startRun(server: ServerUser, request: object): Promise<string> {
  const { job_id } = await server.post<{ job_id: string }>("/v1/trainer/run", request);
  return job_id;
}

export async function awaitJob(server: ServerUser, jobId: string): Promise<Job> {
  for (;;) {
    const job = await server.get<Job>(`/v1/training_jobs/${jobId}`);
    if (job.status === "completed" || job.status === "failed") return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Reads the event stream until `until` says so, or to its end. */
export async function readLog(
  server: ServerUser,
  jobId: string,
  until: (events: readonly LogEvent[]) => boolean = () => false,
  lastEventId?: number,
): Promise<LogEvent[]> {
  const hangUp = new AbortController();
  const response = await server.request("GET", `/v1/jobs/${jobId}/events`, {
    signal: hangUp.signal,
    headers: lastEventId === undefined ? {} : { "last-event-id": String(lastEventId) },
  });
  if (!response.ok || !response.body) throw new Error(`no event stream: ${response.status}`);
  const events: LogEvent[] = [];
  let text = "";
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (id && data && block.includes("event: run")) {
          events.push({ id: Number(id), event: JSON.parse(data) });
        }
      }
      if (until(events)) break;
    }
  } finally {
    hangUp.abort();
  }
  return events;
}

/** The model's files by path, fetched through their presigned URLs. */
export async function downloadModel(
  server: ServerUser,
  modelId: string,
): Promise<Map<string, Buffer>> {
  const { files } = await server.get<{ files: { path: string; url: string }[] }>(
    `/v1/models/${modelId}/download`,
  );
  const contents = new Map<string, Buffer>();
  for (const { path, url } of files) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    contents.set(path, Buffer.from(await response.arrayBuffer()));
  }
  return contents;
}
