/**
 * Objects that belong to somebody else: what an object-store connector gives to read. Read-only, so
 * that no query can change a source.
 */

/** Some bytes of an object: `offset + length` is at most its size. */
export interface SourceRange {
  readonly offset: number;
  readonly length: number;
}

/** One version of an object. */
export interface SourceObject {
  /** Path below the connector's bucket or root, without a leading slash. */
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
  /** Changes whenever the bytes do: the ETag, or what a file system knows of a file's version. */
  readonly version: string;
}

/** A place in the store: of a URL such as `s3://bucket/path/` or `file:///folder/path/`. */
export interface ObjectSource {
  /** Registration identity: scheme, host and port of its URLs, such as `s3://bucket`. */
  readonly identity: string;
  /** Tells sources apart that share URLs but not servers or credentials; for cache keys. */
  readonly cacheScope: string;

  /**
   * The key that a URL stands for; a trailing slash stays.
   *
   * @throws SourceUrlError where the URL is not of this source or leaves what the connector may reach
   */
  keyOf(url: string): string;

  /** Objects whose keys begin with the text, in ascending byte order of their keys. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<SourceObject>;

  /** Null where there is no such object. */
  head(key: string, signal: AbortSignal): Promise<SourceObject | null>;

  /**
   * The bytes of exactly this version.
   *
   * @throws SourceChangedError where the object is another version or gone
   */
  read(object: SourceObject, signal: AbortSignal): AsyncIterable<Uint8Array>;

  /**
   * Some bytes of exactly this version, in pieces: a file's footer, the columns that a query needs.
   * Absent where a source reads whole objects only.
   *
   * @throws SourceChangedError as `read` does
   */
  readRange?(
    object: SourceObject,
    range: SourceRange,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;

  /**
   * Puts exactly this version at a new local path without copying its bytes: a copy-on-write clone
   * or a hard link, never a symbolic one. False where it cannot (another device, rights, a system
   * without them). Absent for sources that are not local files.
   *
   * @throws SourceChangedError as `read` does
   */
  linkTo?(object: SourceObject, path: string): Promise<boolean>;

  close(): Promise<void>;
}
