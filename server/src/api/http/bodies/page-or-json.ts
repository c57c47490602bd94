/** What is answered as a page for people or as JSON: reports, evaluations and cards. */

import { z } from "zod";
import { negotiate } from "./accept.ts";

const HTML = "text/html";
const JSON_TYPE = "application/json";

const FORMATS = { html: HTML, json: JSON_TYPE } as const;

/** Parts of such an operation's input. */
export const formatQuery = z
  .enum(["html", "json"])
  .optional()
  .describe("Takes precedence over the Accept header; with neither it is a page.");
export const acceptHeader = z.object({ accept: z.string().optional() });

/** @param schema of the JSON */
export const pageOrJson = (description: string, schema: z.ZodType) => ({
  200: {
    description,
    content: { [HTML]: { schema: { type: "string" as const } }, [JSON_TYPE]: { schema } },
  },
});

/** @throws 406 */
export function chosenFormat(
  format: z.output<typeof formatQuery>,
  accept: string | undefined,
): { readonly form: keyof typeof FORMATS; readonly contentType: string } {
  const type = format ? FORMATS[format] : negotiate(accept, [HTML, JSON_TYPE]);
  return { form: type === HTML ? "html" : "json", contentType: `${type}; charset=utf-8` };
}

/**
 * The page holds all it needs. Were a name in it ever taken for markup, nothing of it could run,
 * load or send.
 */
export const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  "referrer-policy": "no-referrer",
  "cache-control": "private, no-store",
};
