/**
 * The service's log: one line per event on standard output, JSON where a machine reads it, plain
 * words where a terminal does. Members that may hold secrets are cut out before a line is made.
 */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

export type { Logger };

const SECRET_MEMBERS = [
  "password",
  "secret",
  "token",
  "apiKey",
  "secretKey",
  "authorization",
  "credentials",
  "databaseUrl",
];

/** `fatal` … `trace`, or `silent`. */
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export function createLogger(options: { level?: LogLevel; pretty?: boolean } = {}): Logger {
  const { level = "info", pretty = process.stdout.isTTY === true } = options;
  return pino(loggerOptions(level), pretty ? prettyStream(process.stdout) : process.stdout);
}

export function loggerOptions(level: LogLevel): LoggerOptions {
  return {
    level,
    base: null,
    redact: {
      paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      remove: true,
    },
  };
}

/** Writes pino's JSON lines as `12:34:56 INFO  message key=value`. */
export function prettyStream(output: { write(text: string): unknown }): DestinationStream {
  return {
    write(line) {
      output.write(formatLine(line));
    },
  };
}

const LEVELS: Readonly<Record<number, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO ",
  40: "WARN ",
  50: "ERROR",
  60: "FATAL",
};

function formatLine(line: string): string {
  const event = JSON.parse(line) as Record<string, unknown>;
  const { level, time, msg, err, ...rest } = event;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const members = Object.entries(rest)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
  const stack =
    typeof err === "object" && err !== null && "stack" in err ? `\n${String(err.stack)}` : "";
  return `${clock} ${LEVELS[Number(level)] ?? String(level)} ${String(msg ?? "")}${members}${stack}\n`;
}
