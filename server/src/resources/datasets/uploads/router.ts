/** Uploads in parts: begin, list, get, complete, delete. Sending a part is a raw route (`part-route.ts`). */

import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { authed, router } from "../../../api/http/routing/trpc.ts";
import { CreationPages } from "../../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../../api/paging/page-token.ts";
import { resourceOperations } from "../../../api/resource/operations.ts";
import { nameOfFile } from "../../../platform/input/display-name.ts";
import { unprocessable } from "../../../platform/input/problem.ts";
import { findQuotas, readUsage, usedOf } from "../../quotas/service.ts";
import { parseEncoding } from "../encoding.ts";
import { FORMATS, formatOfFileName, formatOfMediaType, KNOWN_MEDIA_TYPES } from "../formats.ts";
import { datasetSchema, toDataset } from "../record.ts";
import { toUpload, uploadOptionsSchema, uploadRequest, uploadSchema } from "./record.ts";
import { beginUpload, completeUpload, removeUpload, requireUpload } from "./service.ts";
import { listUploads } from "./store.ts";

const COLLECTION = "/v1/uploads";
const tags = ["Uploads"];
const says = resourceOperations({
  collection: COLLECTION,
  parameter: "upload_id",
  title: "Upload",
  tags,
});

const path = z.strictObject({ upload_id: z.uuid() });

export const uploadsRouter = router({
  options: authed("datasets:read")
    .meta({
      openapi: {
        method: "GET",
        path: `${COLLECTION}/options`,
        summary: "Get Upload Options",
        description: "How large a file of rows may be, and which formats are taken.",
        tags,
      },
    })
    .input(z.strictObject({}))
    .output(uploadOptionsSchema)
    .query(async ({ ctx }) => ({
      max_bytes: await mostBytes(ctx),
      formats: FORMATS.map(({ format, mediaTypes, endings }) => ({
        format,
        media_types: [...mediaTypes],
        endings: [...endings],
      })),
    })),

  create: authed("datasets:write")
    .meta(
      says.create({
        description:
          "Begins to send a file of rows in parts, so that a lost connection costs one part and no more. Up to 20 may be under way. Send the parts to `/parts`, one behind another, then complete it: it becomes a dataset as if it had been sent at once.",
        errors: ["conflict", "payload-too-large"],
      }),
    )
    .input(uploadRequest)
    .output(uploadSchema)
    .mutation(async ({ ctx, input }) => {
      const { name, bytes, media_type, file_name, sha256 = null, kinds } = input;
      const format = media_type === undefined ? null : formatOfMediaType(media_type);
      const named = file_name === undefined ? null : formatOfFileName(file_name);
      const chosen = format ?? (media_type === undefined ? named : null);
      if (chosen === null) {
        const sent = media_type === undefined ? "file_name" : "media_type";
        throw unprocessable(
          ["body", sent],
          `it does not say the format: send a media_type, one of ${KNOWN_MEDIA_TYPES.join(", ")}, or a file_name that ends in ${FORMATS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).join(", ")}`,
        );
      }
      const encoding = parseEncoding(input.encoding, chosen, ["body", "encoding"]);
      const row = await beginUpload(ctx, {
        id: ctx.newId(),
        ...{
          name: name ?? nameOfFile(file_name) ?? "dataset",
          format: chosen,
          kinds,
          bytes,
          sha256,
        },
        source: {
          kind: "upload",
          ...(media_type !== undefined && { media_type }),
          ...(file_name !== undefined && { file_name }),
          ...(encoding !== undefined && { encoding }),
        },
      });
      return toUpload(row);
    }),

  list: authed("datasets:read")
    .meta(says.list({ description: "Newest first, those that were completed too." }))
    .input(z.strictObject(pageQuery))
    .output(z.object({ uploads: z.array(uploadSchema), next_page_token: nextPageToken }))
    .query(async ({ ctx, input: { limit, page_token } }) => {
      const { organizationId } = ctx.auth;
      const filter = [organizationId];
      const pages = new CreationPages(ctx.services, "uploads");
      const after = pages.read(filter, page_token);
      const rows = await listUploads(ctx.services.db, organizationId, limit, after);
      const page = cutPage(rows, limit, (last) => pages.write(filter, last));
      return { uploads: page.entries.map(toUpload), next_page_token: page.next_page_token };
    }),

  get: authed("datasets:read")
    .meta(says.get({ description: "`received_bytes` is where it goes on." }))
    .input(path)
    .output(uploadSchema)
    .query(async ({ ctx, input }) => toUpload(await requireUpload(ctx, input.upload_id))),

  complete: authed("datasets:write")
    .meta(
      says.action("Complete", {
        description:
          "Reads the file, now that all of it has come, and registers it as a dataset. Completed again, it answers with the same dataset.",
        errors: ["conflict"],
        resource: "datasets",
        creates: true,
      }),
    )
    .input(path)
    .output(datasetSchema)
    .mutation(async ({ ctx, input }) => toDataset(await completeUpload(ctx, input.upload_id))),

  delete: authed("datasets:write")
    .meta(says.delete({ description: "With what has come of it. A dataset that it became stays." }))
    .input(path)
    .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
    .mutation(async ({ ctx, input: { upload_id: id } }) => {
      await removeUpload(ctx, id);
      return { id, deleted: true };
    }),
});

/** Of one file: what the service takes, and what quotas leave of it. */
async function mostBytes({ services, auth }: AuthedContext): Promise<number> {
  const { organizationId } = auth;
  return services.db.forOrganization(organizationId, async (sql) => {
    const quotas = await findQuotas(sql, organizationId);
    const used = usedOf(await readUsage(sql, organizationId));
    const rooms = (["dataset_bytes", "total_bytes"] as const).flatMap((quota) => {
      const limit = quotas[quota];
      return limit === null ? [] : [Math.max(0, limit - used[quota])];
    });
    return Math.min(services.config.maxUploadBytes, ...rooms);
  });
}
