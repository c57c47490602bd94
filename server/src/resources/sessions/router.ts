/** Who is signed in at the console: sessions that browsers keep as cookies. */

import { z } from "zod";
import { issuerOf } from "../../api/auth/openid/issuer.ts";
import { endedCookie } from "../../api/auth/session-cookie.ts";
import { endSession, endSessionsOf, endSessionsOfPerson } from "../../api/auth/session-store.ts";
import { type SignedIn, signInByKey, signInByLink } from "../../api/auth/sign-in.ts";
import { signInByIssuer, signOutOfIssuer, wayToIssuer } from "../../api/auth/sign-in-by-issuer.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { authed, publicProcedure, router } from "../../api/http/routing/trpc.ts";
import { notSignedIn, unprocessable } from "../../platform/input/problem.ts";
import { secret } from "../../platform/input/schema-view.ts";

const text = z.string().min(1).max(8192).optional();

const sessionSchema = z
  .object({
    organization_id: z.uuid().meta({ description: "Id of the organization." }),
    scopes: z.array(z.string()),
    key_id: z.uuid().nullable().meta({
      description:
        "The API key that it came from, and ends with; null of one that began at the OpenID Connect issuer.",
    }),
    subject: z.string().nullable().meta({
      description: "The person as the issuer calls them (`sub`); null of one that came from a key.",
    }),
    expires_at: z.iso.datetime().meta({
      description:
        "When it ends at the latest: 7 days after it began, 12 hours where it began at the issuer; it ends earlier where it is not used for 12 hours.",
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

const toRecord = ({ session, csrfToken }: Pick<SignedIn, "session" | "csrfToken">) => ({
  organization_id: session.organization_id,
  scopes: [...session.scopes],
  key_id: session.api_key_id,
  subject: session.subject,
  expires_at: session.expires_at.toISOString(),
  csrf_token: csrfToken,
});

/** Where a page that a browser was sent to asks to go next, it stays here. */
const viewSchema = z
  .string()
  .max(1024)
  .refine((path) => {
    const url = path.startsWith("/") ? URL.parse(path, "http://here.invalid") : null;
    return url?.origin === "http://here.invalid";
  }, "has to be a path of this origin, such as /models");

const methods = publicProcedure
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/session/methods",
      summary: "List Ways to Sign In",
      description: "What a sign-in page can offer beside links and API keys, which always work.",
      tags,
      protect: false,
    },
  })
  .input(z.strictObject({}))
  .output(
    z
      .object({
        openid_connect: z
          .object({ host: z.string().meta({ description: "Of the issuer." }) })
          .nullable()
          .meta({ description: "Null where people do not sign in by an issuer." }),
      })
      .meta({ id: "SignInMethods" }),
  )
  .query(({ ctx }) => {
    const client = issuerOf(ctx.services)?.client ?? null;
    return { openid_connect: client === null ? null : { host: client.host } };
  });

const authorize = publicProcedure
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/session/authorization",
      summary: "Begin Sign-In at the Issuer",
      description:
        "Says where the browser goes to sign in at the OpenID Connect issuer (authorization code flow with PKCE). The issuer sends it back to `/sign-in/return`, whose query is the `authorization_response` of `POST /v1/session`; that has to come from the same browser within 10 minutes.",
      tags,
      protect: false,
      errors: ["forbidden", "not-found", "bad-gateway", "unavailable"],
      responseHeaders: z.object({
        "Set-Cookie": z
          .string()
          .describe(
            "What ties the sign-in to this browser: HttpOnly, SameSite=Strict, 10 minutes.",
          ),
      }),
    },
  })
  .input(
    z.strictObject({
      return_to: viewSchema.optional().meta({
        description: "The view that was asked for, which the new session is told again.",
      }),
    }),
  )
  .output(
    z
      .object({ authorization_url: z.url().meta({ description: "Of the issuer." }) })
      .meta({ id: "SignInAuthorization" }),
  )
  .mutation(async ({ ctx, input: { return_to } }) => {
    const { url, cookie } = await wayToIssuer(ctx, return_to ?? null);
    ctx.setHeader("set-cookie", cookie);
    return { authorization_url: url };
  });

const create = publicProcedure
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/session",
      summary: "Sign In",
      description:
        "Begins a session of the console, by the token of a link that `start` prints, which is valid once, by an API key, or by the answer of the OpenID Connect issuer. Of a link and a key the session has the key's organization and scopes, and ends when the key does; of the issuer, those of its token as it was.",
      tags,
      protect: false,
      audited: true,
      errors: [
        "unauthenticated",
        "forbidden",
        "not-found",
        "too-many-requests",
        "bad-gateway",
        "unavailable",
      ],
      responseHeaders: setsCookie,
    },
  })
  .input(
    z.strictObject({
      one_time_token: secret(text).meta({ description: "What stands behind the # of a link." }),
      api_key: secret(text).meta({ description: "A key of any organization, of any scopes." }),
      authorization_response: secret(text).meta({
        description:
          "The query with which the issuer sent the browser back, as it stands in the address.",
      }),
    }),
  )
  .output(
    sessionSchema
      .extend({
        return_to: z.string().nullable().meta({
          description: "The view that was asked for where the sign-in at the issuer began.",
        }),
      })
      .meta({ id: "NewConsoleSession" }),
  )
  .mutation(async ({ ctx, input }) => {
    const { one_time_token, api_key, authorization_response } = input;
    const [signIn, ...others] = [
      one_time_token === undefined ? null : () => signInByLink(ctx, one_time_token),
      api_key === undefined ? null : () => signInByKey(ctx, api_key),
      authorization_response === undefined
        ? null
        : () => signInByIssuer(ctx, authorization_response),
    ].filter((way) => way !== null);
    if (signIn === undefined || others.length > 0) {
      throw unprocessable(
        ["body"],
        "give one of one_time_token, api_key and authorization_response",
      );
    }
    const signedIn = await signIn();
    ctx.setHeader("set-cookie", signedIn.cookie);
    return { ...toRecord(signedIn), return_to: signedIn.returnTo };
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
    const { session, keyId, subject } = auth;
    if (session === undefined) throw notSignedIn();
    return {
      organization_id: auth.organizationId,
      scopes: [...auth.scopes],
      key_id: keyId,
      subject: keyId === null ? subject : null,
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
        "Ends the session whose cookie was sent; with `everywhere`, all sessions that came from the same API key, which the key itself may ask for as well, or of the same person. With `subject`, all sessions of that person in place of one's own, which needs `organization:write`.",
      tags,
      audited: true,
      errors: ["forbidden"],
      responseHeaders: setsCookie,
    },
  })
  .input(
    z.strictObject({
      everywhere: z.boolean().default(false).meta({
        description: "Also the sessions of other browsers that came from the same key or person.",
      }),
      subject: z.string().min(1).max(1024).optional().meta({
        description: "A person, as the OpenID Connect issuer calls them, to be signed out.",
      }),
    }),
  )
  .output(
    z.object({
      ended: z.int().meta({ description: "How many sessions there were to end." }),
      issuer_sign_out_url: z.url().nullable().meta({
        description:
          "Where the person may sign out of the OpenID Connect issuer as well; null where it names no such place, and of sessions that came from a key.",
      }),
    }),
  )
  .mutation(async ({ ctx, input: { everywhere, subject: other } }) => {
    const { auth, services, request, setHeader } = ctx;
    const { session, organizationId, keyId, subject } = auth;
    const { db } = services;
    if (other !== undefined) {
      assertScope(ctx, "organization:write");
      const ended = await endSessionsOfPerson(db, organizationId, other);
      return { ended, issuer_sign_out_url: null };
    }
    if (session !== undefined) setHeader("set-cookie", endedCookie(request.baseUrl));
    else if (!everywhere) throw notSignedIn();
    let ended: number;
    if (session !== undefined && !everywhere) ended = await endSession(db, session.hash);
    else if (keyId !== null) ended = await endSessionsOf(db, organizationId, keyId);
    else ended = await endSessionsOfPerson(db, organizationId, subject);
    const isPersons = session !== undefined && keyId === null;
    return { ended, issuer_sign_out_url: isPersons ? await signOutOfIssuer(ctx) : null };
  });

export const sessionRouter = router({ create, get, delete: end, methods, authorize });
