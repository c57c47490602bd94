/** What answers are recorded of: a server with a warehouse, an object store and an issuer beside it. */

import process from "node:process";
import { EXAMPLES } from "../../server/src/api/guide/examples.ts";
import { S3Service } from "../../server/src/testing/s3-service.ts";
import { PostgresServer } from "../../test/support/postgres.ts";
import { API_KEY, removeHomes, TestServer } from "../../test/support/server.ts";
import { SignInIssuer } from "../../test/support/sign-in-issuer.ts";
import { type Json, Recorder } from "./recorder.ts";

export const PUBLIC = "https://distillery.example.com";

/** What the example of a request has in its body. */
export const bodyOf = (operation: string): Json => {
  const body = EXAMPLES[operation]?.["application/json"];
  if (typeof body !== "object" || body === null) throw new Error(`no example of ${operation}`);
  return { ...body };
};

const [postgres, s3] = await Promise.all([PostgresServer.create(), S3Service.create()]);
Object.assign(process.env, s3.credentials);
const issuer = await SignInIssuer.start();
const server = await TestServer.start({
  env: {
    DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
    DISTILLERY_PUBLIC_URL: PUBLIC,
    ...issuer.environment,
  },
});
const recorder = new Recorder(server.baseUrl, API_KEY);

export const ask = recorder.ask.bind(recorder);
export const settled = recorder.settled.bind(recorder);
/** Of the object store. */
export const endpoint = new URL(new URL(s3.url("")).searchParams.get("endpoint") ?? "").origin;
export { issuer, postgres, recorder, s3, server };

/** Until the job that was cancelled holds nothing any more. */
export async function settledOrFailed(path: string): Promise<void> {
  await settled(path).catch((error: unknown) => {
    if (!String(error).includes("cancelled")) throw error;
  });
}

/** @returns the id of a job that has ended */
export async function trained(request: object): Promise<string> {
  const { job_id } = await ask(null, "POST", { path: "/v1/trainer/run", body: request });
  await settled(`/v1/training_jobs/${job_id}`);
  return String(job_id);
}

export async function endStage(): Promise<void> {
  await server.stop();
  await issuer.stop();
  await Promise.all([postgres.remove(), s3.remove()]);
  await removeHomes();
}
