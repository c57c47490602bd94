/** Reads a map of texts by option, and knows in the end which of them nobody asked for. */

import { ScanError } from "../scan.ts";
import type { Compression } from "./file-format.ts";

/** A file type or an option of it that is not known, or a value that it does not take. */
export class FormatOptionError extends ScanError {
  /** As it was given; null = the file type itself. */
  readonly option: string | null;
  readonly why: string;

  constructor(table: string, option: string | null, why: string) {
    super(`${table}: ${why}`);
    this.option = option;
    this.why = why;
  }
}

const PREFIX = "format.";
const COMPRESSIONS = new Map<string, Compression>(
  Object.entries({
    gzip: "gzip",
    gz: "gzip",
    zstd: "zstd",
    zst: "zstd",
    uncompressed: "none",
    none: "none",
    "": "none",
  }),
);

export class OptionReader {
  readonly #table: string;
  readonly #format: string;
  readonly #values = new Map<string, string>();
  /** As the options were given, by their names without prefix in lower case. */
  readonly #given = new Map<string, string>();
  readonly #known = new Set<string>();

  /** @throws FormatOptionError where an option is given twice with different values */
  constructor(table: string, format: string, options: Readonly<Record<string, string>>) {
    this.#table = table;
    this.#format = format;
    for (const [given, value] of Object.entries(options)) {
      const lower = given.toLowerCase();
      const name = lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
      const other = this.#values.get(name);
      this.#given.set(name, given);
      if (other !== undefined && other !== value) {
        this.fail(name, `is given as ${JSON.stringify(other)} and as ${JSON.stringify(value)}`);
      }
      this.#values.set(name, value);
    }
  }

  text(name: string): string | null {
    this.#known.add(name);
    return this.#values.get(name) ?? null;
  }

  /** These are known and change nothing here. */
  ignore(names: readonly string[]): void {
    for (const name of names) this.#known.add(name);
  }

  boolean(name: string): boolean | null {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return null;
    if (value === "true" || value === "false") return value === "true";
    return this.fail(name, `must be true or false, not ${JSON.stringify(value)}`);
  }

  positiveInteger(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
    return this.fail(name, `must be a whole number from 1, not ${JSON.stringify(value)}`);
  }

  /** One ASCII character; `\t` and the like may be written as escapes. */
  character(name: string): string | null {
    const value = this.text(name);
    if (value === null) return null;
    const text = { "\\t": "\t", "\\\\": "\\" }[value] ?? value;
    const code = text.charCodeAt(0);
    if (text.length === 1 && code > 0 && code < 0x80 && !"\r\n".includes(text)) return text;
    return this.fail(name, `must be one ASCII character, not ${JSON.stringify(value)}`);
  }

  /** Null = by each file's suffix. */
  compression(): Compression | null {
    const value = this.text("compression");
    if (value === null) return null;
    const compression = COMPRESSIONS.get(value.toLowerCase());
    if (compression !== undefined) return compression;
    return this.fail(
      "compression",
      `must be gzip, zstd or uncompressed, not ${JSON.stringify(value)}`,
    );
  }

  fail(name: string, problem: string): never {
    const option = this.#given.get(name) ?? name;
    throw new FormatOptionError(
      this.#table,
      option,
      `the ${this.#format} option ${name} ${problem}`,
    );
  }

  /** @throws FormatOptionError where an option is left that nobody read */
  end(): void {
    for (const name of this.#values.keys()) {
      if (!this.#known.has(name)) {
        const known = [...this.#known].sort().join(", ");
        this.fail(
          name,
          known === "" ? "is not known; there are none" : `is not known; known are ${known}`,
        );
      }
    }
  }
}
