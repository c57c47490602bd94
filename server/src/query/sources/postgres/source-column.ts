/** A column of PostgreSQL as its catalog has it, domains taken down to what they are made of. */

export interface SourceColumn {
  readonly name: string;
  /** `pg_type.typname` of a type of PostgreSQL itself; null for those of extensions and users. */
  readonly builtIn: string | null;
  /** `pg_type.typtype`: `b` base, `c` composite, `e` enum, `r` range, `m` multirange. */
  readonly kind: string;
  readonly isArray: boolean;
  /**
   * Of a numeric whose declared digits no decimal here holds: the most digits that a sample of its
   * values has; null where nothing is known.
   */
  readonly sampledDigits: Digits | null;
  /** `atttypmod`, such as the precision and scale of a numeric; -1 = none. */
  readonly modifier: number;
  /** A foreign table's columns only claim it. */
  readonly notNull: boolean;
  /** Whether equal texts of its collation are equal byte by byte. */
  readonly deterministic: boolean;
}

/** What pushing down must know of the server. */
export interface ServerTraits {
  /** Such as `UTF8`. */
  readonly encoding: string;
}

export interface Digits {
  /** Before the point. */
  readonly whole: number;
  /** After it. */
  readonly fraction: number;
}
