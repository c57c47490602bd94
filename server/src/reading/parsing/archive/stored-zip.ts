/**
 * Writes a ZIP archive of members that are not packed: what was unpacked and checked, for readers that
 * open archives themselves. (PKWARE APPNOTE 6.3.3, sections 4.3.7, 4.3.12 and 4.3.16.)
 */

import { crc32 } from "node:zlib";

/** Of 1980-01-01, the first day that the format knows. */
const DATE = 0x21;
const UTF_8_NAMES = 1 << 11;

export function storedZip(members: ReadonlyMap<string, Uint8Array>): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, content] of members) {
    const fileName = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF_8_NAMES, 2);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.byteLength, 14);
    common.writeUInt32LE(content.byteLength, 18);
    common.writeUInt16LE(fileName.length, 22);
    const local = [signature(0x04034b50), common, fileName, content];
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), Buffer.from([20, 0]), common, place, fileName);
    parts.push(...local);
    offset += sizeOf(local);
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.size, 4);
  end.writeUInt16LE(members.size, 6);
  end.writeUInt32LE(sizeOf(directory), 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, signature(0x06054b50), end]);
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

const sizeOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
