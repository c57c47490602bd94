/**
 * Links by which a person opens a job's report in a browser, which sends no token: an HMAC-SHA-256
 * over job, organization and expiry. Whoever holds one may read that report until then.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Services } from "../../api/services.ts";
import type { JobRow } from "../jobs/job.ts";

type LinkedJob = Pick<JobRow, "id" | "organization_id">;

const DAY_SECONDS = 86_400;
/** Rounded up to whole days, so that a job's link stays the same for a day. */
const DAYS = 7;

export class ReportLinks {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  constructor(services: Pick<Services, "secret">, now: () => number = Date.now) {
    this.#key = services.secret.derive("report-links");
    this.#now = now;
  }

  /** @param baseUrl of this service as the caller sees it, such as `http://127.0.0.1:8080` */
  uri(job: LinkedJob, baseUrl: string): string {
    const today = Math.ceil(this.#now() / 1000 / DAY_SECONDS);
    const expires = String((today + DAYS) * DAY_SECONDS);
    const signature = this.#signature(job, expires);
    return `${baseUrl}/v1/reports/${job.id}?expires=${expires}&signature=${signature}`;
  }

  verify(
    job: LinkedJob,
    link: { readonly expires: string; readonly signature: string },
  ): "valid" | "forged" | "expired" {
    // As texts: several texts of base64 stand for the same bytes.
    const given = Buffer.from(link.signature);
    const expected = Buffer.from(this.#signature(job, link.expires));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "forged";
    return this.#now() < Number(link.expires) * 1000 ? "valid" : "expired";
  }

  #signature(job: LinkedJob, expires: string): string {
    return createHmac("sha256", this.#key)
      .update(`GET report ${job.organization_id} ${job.id} ${expires}`)
      .digest("base64url");
  }
}
