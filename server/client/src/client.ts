/** The client: every procedure of the service as a typed call, and the calls that follow a job or send a file. */

import { createTRPCUntypedClient, httpBatchLink } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import { followJob, type JobEvent, type JobEventsOptions } from "./job-events.ts";
import type { Inputs, Kinds, Outputs } from "./procedures.ts";
import { type SendOptions, send } from "./send.ts";
import { failureOf } from "./service-error.ts";
import { type Asking, type ClientOptions, Transport } from "./transport.ts";
import { type Dataset, type UploadData, type UploadOptions, uploadDataset } from "./upload.ts";
import { type JobResult, type WaitOptions, waitForJob } from "./wait-for-job.ts";

export type { ClientOptions };

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How a procedure is called; one without an input is called without. */
type Call<Input, Output> = [undefined] extends [Input]
  ? (input?: Input, options?: CallOptions) => Promise<Output>
  : (input: Input, options?: CallOptions) => Promise<Output>;

type Procedures = {
  readonly [Name in keyof Kinds]: {
    readonly [Procedure in keyof Kinds[Name]]: Kinds[Name][Procedure] extends "query"
      ? { readonly query: ProcedureCall<Name, Procedure> }
      : { readonly mutate: ProcedureCall<Name, Procedure> };
  };
};

type ProcedureCall<Name extends keyof Kinds, Procedure extends keyof Kinds[Name]> = Call<
  Member<Member<Inputs, Name>, Procedure>,
  Member<Member<Outputs, Name>, Procedure>
>;
type Member<Of, Name> = Name extends keyof Of ? Of[Name] : never;

/** What is no call of one procedure. */
export interface ClientMethods {
  /**
   * Any operation under `/v1` by its path, with the client's address and token: for answers that are no
   * JSON (reports, archives, Arrow) and for members that procedures do not show.
   *
   * @throws {ServiceError} for an answer that is no success, and for none
   */
  request(path: string, asking?: Asking): Promise<Response>;
  /**
   * POSTs a file or a form to an operation that takes one, such as `/v1/documents`, and tells how much has
   * left.
   *
   * @throws {ServiceError} for an answer that is no success, and for none
   */
  send(
    path: string,
    body: Uint8Array<ArrayBuffer> | Blob | FormData,
    options?: SendOptions,
  ): Promise<Response>;
  /**
   * Registers a file as a dataset.
   *
   * @throws {ServiceError} where the service refuses it
   */
  uploadDataset(data: UploadData, options?: UploadOptions): Promise<Dataset>;
  /**
   * A job's events as they come, across lost connections, until it has ended.
   *
   * @throws {ServiceError} where the service refuses, or stays away
   */
  jobEvents(jobId: string, options?: JobEventsOptions): AsyncGenerator<JobEvent, void, undefined>;
  /**
   * Resolves when the job has completed.
   *
   * @throws {JobFailedError} where it has failed or was cancelled
   * @throws {ServiceError} where the service refuses, or stays away
   */
  waitForJob(jobId: string, options?: WaitOptions): Promise<JobResult>;
}

export type Client = Procedures & ClientMethods;

/** Calls made in the same tick travel in one request, at most this many. */
const BATCH_LIMIT = 50;
/** Longer batches of queries are split: they travel in the URL. */
const URL_LIMIT = 8_000;

/**
 * An input is one flat object, wherever its members travel under `/v1`: `{ model_id, instances }`. A
 * resource that is created or changed is one member of it, named as the resource: `{ …, table }`. What
 * the service refuses is thrown as `ServiceError`.
 *
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:8080", token: process.env.DISTILLERY_API_KEY });
 * const { models } = await client.models.list.query({ limit: 10 });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  const trpc = createTRPCUntypedClient<AnyRouter>({
    links: [
      httpBatchLink({
        url: `${transport.base}/trpc`,
        maxItems: BATCH_LIMIT,
        maxURLLength: URL_LIMIT,
        headers: () => transport.headers(),
        fetch: (input, init) => transport.fetch(input, init as RequestInit),
      }),
    ],
  });
  const call =
    (kind: "query" | "mutation", path: string) =>
    async (input: unknown, { signal }: CallOptions = {}): Promise<unknown> => {
      try {
        return await trpc[kind](path, input, signal ? { signal } : {});
      } catch (error) {
        throw failureOf(error, signal);
      }
    };
  const procedure = (path: string) => ({
    query: call("query", path),
    mutate: call("mutation", path),
  });
  const methods: ClientMethods = {
    request: (path, asking) => transport.ask(path, asking),
    send: (path, body, rest) => send(transport, path, body, rest),
    uploadDataset: (data, rest) => uploadDataset(transport, data, rest),
    jobEvents: (jobId, rest) => followJob(transport, jobId, rest),
    waitForJob: (jobId, rest) => waitForJob(client, jobId, rest),
  };
  const client = membersOf((name) =>
    name in methods
      ? methods[name as keyof ClientMethods]
      : membersOf((each) => procedure(`${name}.${each}`)),
  ) as Client;
  return client;
}

/** An object whose members are made when they are asked for: which there are, only the service knows. */
function membersOf(make: (name: string) => unknown): object {
  const made = new Map<string, unknown>();
  return new Proxy(
    {},
    {
      get(_, name) {
        // Nobody may take it for a promise, nor print it by a procedure.
        if (typeof name !== "string" || name === "then" || name === "toJSON") return undefined;
        if (!made.has(name)) made.set(name, make(name));
        return made.get(name);
      },
    },
  );
}
