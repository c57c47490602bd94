/** The audit log of an organization, as those who manage its keys read it. */

import { z } from "zod";
import { auditedName } from "../../api/http/routing/audited.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { moment } from "../../platform/input/moment.ts";
import { type AuditRow, listEvents, OUTCOMES, outcomeOf } from "./store.ts";

const eventSchema = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime().meta({ description: "When it ended, ISO 8601." }),
    caller: z
      .object({
        kind: z.enum(["api_key", "oidc", "unknown"]).meta({
          description:
            "What it was authenticated by; `unknown` of keys and links that open nothing.",
        }),
        subject: z.string().nullable().meta({
          description: "The key's id, or the token's `sub`; null where nobody knows.",
        }),
        key_id: z.uuid().nullable().meta({ description: "The API key; null where it was none." }),
        key_name: z.string().nullable().meta({ description: "What the key is called." }),
        is_session: z.boolean().meta({
          description:
            "True where it came from the console, by a session of the key or of the person.",
        }),
        address: z.string().meta({ description: "The address that the request came from." }),
      })
      .meta({ description: "Who asked." }),
    operation: z.string().meta({
      description: "The operation, by its `operationId` in /openapi.json, such as datasets_delete.",
    }),
    resource_type: z.string().meta({
      description: "What kind of thing it changes, as paths have it, such as datasets.",
    }),
    resource_id: z.string().nullable().meta({
      description: "Which of them: its id or name; null where nothing was made.",
    }),
    path: z.string().meta({ description: "The operation's path under /v1." }),
    status: z.int().meta({ description: "The HTTP status that it was answered with." }),
    outcome: z.enum(OUTCOMES).meta({
      description: "By the status: `refused` is 401 and 403, `failed` any other from 400 on.",
    }),
    is_replay: z.boolean().meta({
      description:
        "True where an `Idempotency-Key` was sent again: it was answered as before, and nothing was changed again.",
    }),
    request_id: z.string().meta({
      description: "The `X-Request-Id` of the request, which the service's log has as well.",
    }),
  })
  .meta({ id: "AuditEvent" });

const toEvent = (row: AuditRow): z.infer<typeof eventSchema> => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  caller: {
    kind: row.caller_kind ?? "unknown",
    subject: row.subject,
    key_id: row.key_id,
    key_name: row.key_name,
    is_session: row.is_session,
    address: row.address,
  },
  operation: row.operation,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  path: row.path,
  status: row.status,
  outcome: outcomeOf(row.status),
  is_replay: row.is_replay,
  request_id: row.request_id,
});

const time = moment.optional();
const name = z.string().min(1).max(1_000).optional();

const list = authed("organization:write")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/audit_events",
      summary: "List Audit Events",
      description:
        "Who asked for which change, and how it ended, newest first: every operation that needs a scope to write, and signing in and out, with those that failed and were refused. An event is stored before its request is answered. It has no bodies and no secrets. Predictions, queries and feedback change nothing that belongs to an organization, and are not here. Sign-ins with what is nobody's key are told to the organization that the service was started with. `audit_event_days` of /v1/retention says when events go.",
      tags: ["Organization"],
    },
  })
  .input(
    z.strictObject({
      since: time.meta({ description: "Only events of this time and later." }),
      before: time.meta({ description: "Only events before this time." }),
      operation: name.meta({ description: "Only this operation, such as datasets_delete." }),
      resource_type: name.meta({ description: "Only changes of this kind of thing." }),
      resource_id: name.meta({ description: "Only changes of this thing." }),
      key_id: z.uuid().optional().meta({ description: "Only what this API key asked for." }),
      outcome: z.enum(OUTCOMES).optional().meta({ description: "Only what ended so." }),
      ...pageQuery,
    }),
  )
  .output(z.object({ audit_events: z.array(eventSchema), next_page_token: nextPageToken }))
  .query(async ({ ctx, input: { limit, page_token, since, before, ...names } }) => {
    const { organizationId } = ctx.auth;
    const { operation, resource_type, resource_id, key_id, outcome } = names;
    const pages = new CreationPages(ctx.services, "audit_events");
    const asked = [organizationId, since, before, operation, resource_type, resource_id];
    const filter = [...asked, key_id, outcome].map((each) => each ?? null);
    const rows = await listEvents(
      ctx.services.db,
      organizationId,
      {
        since: since === undefined ? undefined : new Date(since),
        before: before === undefined ? undefined : new Date(before),
        operation,
        resourceType: resource_type,
        resourceId: resource_id === undefined ? undefined : auditedName(resource_id),
        keyId: key_id?.toLowerCase(),
        outcome,
      },
      limit,
      pages.read(filter, page_token),
    );
    const page = cutPage(rows, limit, (last) => pages.write(filter, last));
    return { audit_events: page.entries.map(toEvent), next_page_token: page.next_page_token };
  });

export const auditRouter = router({ list });
