/**
 * The host that a connection goes to where `target_session_attrs` asks for one in a certain state, or hosts have ports
 * of their own. The driver would try hosts that are all away, or in another state, without end and without a word.
 */
import { isIP } from "node:net";
import postgres from "postgres";
import {
  type Host,
  hostsOf,
  ofHostAt,
  type WritableAttrs,
  withoutAttrs,
} from "../database-hosts.ts";

/** How long a host may take to say what state it is in. */
const ASKED_S = 5;
/** Connections that are opened together ask once. */
const REMEMBERED_MS = 500;

/** What is asked of a host; `any` = that it answers. */
export type WantedState = WritableAttrs | "any";

/** @returns gives the first host in the state, or throws an error that says of each what keeps it from being that */
export function hostChooser(url: string, attrs: WantedState): () => Promise<Host> {
  let asked: { readonly at: number; readonly host: Promise<Host> } | null = null;
  return () => {
    const now = performance.now();
    if (asked === null || now - asked.at > REMEMBERED_MS) {
      asked = { at: now, host: chosenHost(url, attrs) };
    }
    return asked.host;
  };
}

async function chosenHost(url: string, attrs: WantedState): Promise<Host> {
  const hosts = hostsOf(url);
  const asked = hosts.map((_, at) => faultOf(withoutAttrs(ofHostAt(url, at)), attrs));
  const said: string[] = [];
  for (const [at, host] of hosts.entries()) {
    const fault = await asked[at];
    // Those behind it need not be waited for.
    if (fault === null) return host;
    said.push(`${host.name}:${host.port}: ${fault}`);
  }
  const none =
    attrs === "any"
      ? "no host can be reached"
      : `no host has a session that is ${attrs}, as target_session_attrs asks`;
  throw Object.assign(new Error(`${none} (${said.join("; ")})`), { code: "CONNECTION_CLOSED" });
}

/** What keeps a host from being chosen; null = nothing. */
async function faultOf(url: string, attrs: WantedState): Promise<string | null> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: ASKED_S,
    fetch_types: false,
    onnotice: () => undefined,
    ...checkedAddress(url),
  });
  try {
    const [state] = await client<{ standby: boolean; read_only: string }[]>`
      select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`;
    if (attrs === "any") return null;
    if (state?.standby) return "it is a standby";
    return attrs === "read-write" && state?.read_only === "on" ? "it is read-only" : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end({ timeout: 0 });
  }
}

/** The driver holds the certificate of a server that is named by an address against the name `localhost`. */
export function checkedAddress(url: string): { readonly ssl?: { readonly host: string } } {
  // Several hosts are no URL.
  if (!URL.canParse(url)) return {};
  const { hostname, searchParams } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const isChecked = searchParams.get("sslmode") === "verify-full";
  return isChecked && isIP(host) !== 0 ? { ssl: { host } } : {};
}
