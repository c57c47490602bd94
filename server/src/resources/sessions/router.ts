/** Who is signed in at the console: sessions that browsers keep as cookies. */

import { z } from "zod";
import { endedCookie } from "../../api/auth/session-cookie.ts";
import { endSession, endSessionsOf } from "../../api/auth/session-store.ts";
import { type SignedIn, signInByKey, signInByLink } from "../../api/auth/sign-in.ts";
import { authed, publicProcedure, router } from "../../api/http/routing/trpc.ts";
import { notSignedIn, unprocessable } from "../../platform/input/problem.ts";
import { secret } from "../../platform/input/schema-view.ts";

const text = z.string().min(1).max(8192).optional();

const sessionSchema = z
  .object({
    organization_id: z.uuid().meta({ description: "Id of the organization." }),
    scopes: z.array(z.string()),
    key_id: z.uuid().meta({ description: "The API key that it came from, and ends with." }),
    expires_at: z.iso.datetime().meta({
      description: "When it ends at the latest; it ends earlier where it is not used for 12 hours.",
    }),
    csrf_token: z.string().meta({
      description: "To be sent as `X-CSRF-Token` with whatever changes something.",
    }),
  })
  .meta({ id: "ConsoleSession" });

const setsCookie = z.object({
  "Set-Cookie": z.string().describe("The session's cookie: HttpOnly, SameSite=Strict."),
});
const tags = ["Console"];

const create = publicProcedure
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/session",
      summary: "Sign In",
      description:
        "Begins a session of the console, by the token of a link that `start` prints, which is valid once, or by an API key. The session has the key's organization and scopes, and ends when the key does.",
      tags,
      protect: false,
      audited: true,
      errors: ["unauthenticated", "forbidden", "too-many-requests", "unavailable"],
      responseHeaders: setsCookie,
    },
  })
  .input(
    z.strictObject({
      one_time_token: secret(text).meta({ description: "What stands behind the # of a link." }),
      api_key: secret(text).meta({ description: "A key of any organization, of any scopes." }),
    }),
  )
  .output(sessionSchema)
  .mutation(async ({ ctx, input: { one_time_token, api_key } }) => {
    const { setHeader } = ctx;
    let signedIn: SignedIn;
    if (one_time_token !== undefined && api_key === undefined) {
      signedIn = await signInByLink(ctx, one_time_token);
    } else if (api_key !== undefined && one_time_token === undefined) {
      signedIn = await signInByKey(ctx, api_key);
    } else throw unprocessable(["body"], "give either one_time_token or api_key");
    const { session, csrfToken, cookie } = signedIn;
    setHeader("set-cookie", cookie);
    return {
      organization_id: session.organization_id,
      scopes: [...session.scopes],
      key_id: session.api_key_id,
      expires_at: session.expires_at.toISOString(),
      csrf_token: csrfToken,
    };
  });

const get = authed("any")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/session",
      summary: "Get Session",
      description: "The session whose cookie was sent.",
      tags,
      session: true,
    },
  })
  .output(sessionSchema)
  .query(({ ctx: { auth } }) => {
    const { session, keyId } = auth;
    if (session === undefined || keyId === null) throw notSignedIn();
    return {
      organization_id: auth.organizationId,
      scopes: [...auth.scopes],
      key_id: keyId,
      expires_at: session.expiresAt.toISOString(),
      csrf_token: session.csrfToken,
    };
  });

const end = authed("any")
  .meta({
    openapi: {
      method: "DELETE",
      path: "/v1/session",
      summary: "Sign Out",
      description:
        "Ends the session whose cookie was sent; with `everywhere`, all sessions that came from the same API key, which the key itself may ask for as well.",
      tags,
      audited: true,
      responseHeaders: setsCookie,
    },
  })
  .input(
    z.strictObject({
      everywhere: z.boolean().default(false).meta({
        description: "Also the sessions of other browsers that came from the same key.",
      }),
    }),
  )
  .output(
    z.object({ ended: z.int().meta({ description: "How many sessions there were to end." }) }),
  )
  .mutation(async ({ ctx, input }) => {
    const { auth, services, request, setHeader } = ctx;
    const { session, organizationId, keyId } = auth;
    if (session !== undefined) setHeader("set-cookie", endedCookie(request.baseUrl));
    else if (!input.everywhere) throw notSignedIn();
    if (session !== undefined && !input.everywhere) {
      return { ended: await endSession(services.db, session.hash) };
    }
    if (keyId === null) return { ended: 0 };
    return { ended: await endSessionsOf(services.db, organizationId, keyId) };
  });

export const sessionRouter = router({ create, get, delete: end });
