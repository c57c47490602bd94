/** Writes zips for tests. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipOptions {
  readonly deflated?: boolean;
  /** In front of each path. */
  readonly prefix?: string;
  /** Says another size than a file has. */
  readonly sizeOf?: (path: string, bytes: number) => number;
}

export function zipOf(
  files: Iterable<readonly [string, Uint8Array]>,
  { deflated = false, prefix = "", sizeOf = (_, bytes) => bytes }: ZipOptions = {},
): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(prefix + path);
    const packed = deflated ? deflateRawSync(bytes) : bytes;
    // Version, flags, method, time, date, checksum, sizes, length of the name, extra.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(deflated ? 8 : 0, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(sizeOf(path, bytes.length), 18);
    common.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, tail, name]),
    );
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, packed]);
    parts.push(local);
    at += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, entries, end]);
}

/** All files of a folder by their paths. */
export const filesIn = (folder: string): [string, Uint8Array][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, Uint8Array] => [path.slice(folder.length + 1), readFileSync(path)]);
