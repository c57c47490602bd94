/**
 * How the service speaks to PostgreSQL: the options every connection shares, and the type that
 * statements are written against.
 *
 * int8 comes back as a number (a value beyond 2^53 is an error, never a rounded number), timestamps
 * as `Date`, json as values, numeric as text, arrays of the types below as arrays.
 */
import postgres from "postgres";
import { parse as parseArray } from "postgres-array";
import {
  type Host,
  hostsOf,
  targetAttrs,
  WRITABLE_ATTRS,
  withoutAttrs,
} from "../database-hosts.ts";
import { checkedAddress, hostChooser } from "./host-choice.ts";
import { openSockets } from "./sockets.ts";

const INT8 = 20;

const parseInt8 = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond 2^53`);
  return value;
};

type Element = string | number | null;

/**
 * A type of arrays. The driver would ask each new session for them all, in a statement of its own: if
 * the connection ends before the answer, that error is nobody's to catch, and ends the process.
 *
 * @param oid of the array, not of its elements
 */
const arrayType = <Parsed extends Element>(oid: number, parse: (text: string) => Parsed) => ({
  to: oid,
  from: [oid],
  parse: (text: string): Parsed[] => parseArray(text, parse),
  serialize: (values: readonly Element[]): string => `{${values.map(arrayElement).join(",")}}`,
});

function arrayElement(value: Element): string {
  return value === null ? "NULL" : `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`;
}

const types = {
  bigint: {
    to: INT8,
    from: [INT8],
    parse: parseInt8,
    serialize: (value: number | bigint): string => String(value),
  },
  texts: arrayType(1009, String),
  uuids: arrayType(2951, String),
  integers: arrayType(1007, Number),
  bigints: arrayType(1016, parseInt8),
};

type Types = {
  readonly [Name in keyof typeof types]: ReturnType<(typeof types)[Name]["parse"]>;
};

/**
 * Tagged template for statements, with `sql.json`, `sql(identifiers)`, `sql.unsafe`. An array says its
 * type: `${ids}::uuid[]`.
 */
export type Sql = postgres.ISql<Types>;

export type Client = postgres.Sql<Types>;

/** Schema of every table of the service, so that it can share a database with others. */
export const SCHEMA = "distillery";

/** Role of resource queries: row-level security holds for it. */
export const APP_ROLE = "distillery_app";

/** Role of workers and of authentication: sees every organization's rows. */
export const SYSTEM_ROLE = "distillery_system";

/** How a server is reached: a URL, or the members of an embedded one. */
export type Address =
  | { readonly url: string }
  | {
      /** Folder of the Unix socket. */
      readonly socketFolder: string;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export interface ConnectOptions {
  readonly max: number;
  readonly role?: string;
  /** Statements that write are refused. */
  readonly readOnly?: boolean;
  /** Called each time a connection of this client is lost or closed. */
  readonly onClose?: () => void;
  /** Called for each NOTIFY on a channel that a connection of this client listens to. */
  readonly onNotify?: (channel: string, payload: string) => void;
}

/** A client that connects on its first statement. */
export function connect(given: Address, options: ConnectOptions): Client {
  const address = "url" in given ? { url: withoutAttrs(given.url) } : given;
  const attrs = "url" in given ? targetAttrs(given.url) : undefined;
  const hosts = "url" in address ? severalHosts(address.url) : [];
  const isOfOnePort = hosts.every(({ port }) => port === hosts[0]?.port);
  const wanted = WRITABLE_ATTRS.find((each) => each === attrs) ?? (isOfOnePort ? null : "any");
  const choose = "url" in given && wanted !== null ? hostChooser(given.url, wanted) : null;
  const shared = {
    max: options.max,
    // An option that the driver's types lack.
    ...{
      socket: openSockets(
        hosts.map(({ name }) => name),
        choose,
      ),
    },
    ...(hosts[0] !== undefined && { host: hosts[0].name, port: hosts[0].port }),
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    types,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      application_name: "distillery",
      search_path: SCHEMA,
      TimeZone: "UTC",
      ...(options.role !== undefined && { role: options.role }),
      ...(options.readOnly === true && { default_transaction_read_only: true }),
    },
    ...(options.onClose && { onclose: options.onClose }),
    ...(options.onNotify && { onnotify: options.onNotify }),
  };
  return "url" in address
    ? postgres(address.url, { ...shared, ...checkedAddress(address.url) })
    : postgres({
        ...shared,
        host: address.socketFolder,
        user: address.user,
        password: address.password,
        database: address.database,
      });
}

/** The hosts of a URL that names several; none otherwise. */
function severalHosts(url: string): readonly Host[] {
  const hosts = hostsOf(url);
  return hosts.length > 1 ? hosts : [];
}

/** Whether what a statement refers to is not, or no longer, there. */
export const isForeignKeyViolation = (error: unknown): boolean => errorCode(error) === "23503";

/** SQLSTATE of a server error, or the driver's code; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
