/**
 * A ZIP archive that is opened with care: what its members say of their size is added up before one is
 * unpacked, and what comes out of them is counted while it comes. Archives in archives stay closed.
 */

import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { DocumentFault } from "../document-fault.ts";
import { megabytes, type ParsingLimits } from "../limits.ts";

/** Members smaller than this may be packed as tightly as they like. */
const SMALL_BYTES = 4 << 20;

export class Archive {
  readonly #zip: ZipFile;
  readonly #members: ReadonlyMap<string, Entry>;
  readonly #limits: ParsingLimits;
  #unpacked = 0;

  private constructor(zip: ZipFile, members: ReadonlyMap<string, Entry>, limits: ParsingLimits) {
    this.#zip = zip;
    this.#members = members;
    this.#limits = limits;
  }

  /** @throws DocumentFault `damaged`, `archive_bomb` */
  static async open(bytes: Uint8Array, limits: ParsingLimits): Promise<Archive> {
    const zip = await zipOf(bytes);
    return new Archive(zip, await membersOf(zip, limits), limits);
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** @throws DocumentFault `encrypted`, `damaged`, `archive_bomb`; Error where there is no such member */
  async read(name: string): Promise<Buffer> {
    const entry = this.#members.get(name);
    if (entry === undefined) throw new Error(`no member ${name}`);
    if (entry.isEncrypted()) {
      throw new DocumentFault(
        "encrypted",
        "The document is protected by a password. Save it without one and send it again.",
      );
    }
    const pieces: Buffer[] = [];
    try {
      for await (const piece of await streamOf(this.#zip, entry)) {
        pieces.push(piece);
        this.#unpacked += piece.length;
        if (this.#unpacked > this.#limits.archiveBytes) throw bomb(this.#limits);
      }
    } catch (cause) {
      throw cause instanceof DocumentFault ? cause : damaged(cause);
    }
    return Buffer.concat(pieces);
  }
}

function zipOf(bytes: Uint8Array): Promise<ZipFile> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Promise((resolve, reject) => {
    fromBuffer(buffer, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(damaged(error));
    });
  });
}

function membersOf(zip: ZipFile, limits: ParsingLimits): Promise<Map<string, Entry>> {
  const members = new Map<string, Entry>();
  let unpacked = 0;
  return new Promise((resolve, reject) => {
    const { entryCount } = zip;
    if (entryCount > limits.archiveMembers) {
      reject(
        new DocumentFault(
          "archive_bomb",
          `The file is an archive of ${entryCount} members; at most ${limits.archiveMembers} are looked at.`,
        ),
      );
      return;
    }
    zip.on("entry", (entry) => {
      unpacked += entry.uncompressedSize;
      const isTight =
        entry.uncompressedSize > SMALL_BYTES &&
        entry.uncompressedSize > limits.archiveRatio * Math.max(1, entry.compressedSize);
      if (isTight || unpacked > limits.archiveBytes) {
        reject(bomb(limits));
        return;
      }
      members.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.once("end", () => resolve(members));
    zip.once("error", (error) => reject(damaged(error)));
    zip.readEntry();
  });
}

function streamOf(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error === null) resolve(stream);
      else reject(error);
    });
  });
}

const damaged = (cause: unknown): DocumentFault =>
  new DocumentFault(
    "damaged",
    "The file is damaged: it begins as an archive, but cannot be unpacked.",
    { cause },
  );

const bomb = ({ archiveBytes, archiveRatio }: ParsingLimits): DocumentFault =>
  new DocumentFault(
    "archive_bomb",
    `The file unpacks to more than ${megabytes(archiveBytes)}, or to more than ${archiveRatio} times its size. It is not opened.`,
  );
