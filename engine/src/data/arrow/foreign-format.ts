/** Formats that are told by their first bytes, to say what was sent in place of a message. */

const MAGICS: readonly (readonly [magic: string, name: string])[] = [
  ["ARROW1", "an Arrow IPC file"],
  ["FEA1", "a Feather V1 file"],
  ["PAR1", "a Parquet file"],
  ["\x1f\x8b", "gzip-compressed"],
  ["\x28\xb5\x2f\xfd", "zstd-compressed"],
  ["\x04\x22\x4d\x18", "LZ4-compressed"],
  ["PK\x03\x04", "a ZIP archive"],
];

/** Such as "an Arrow IPC file"; null where the bytes begin as none of them. */
export function foreignFormatOf(bytes: Uint8Array): string | null {
  for (const [magic, name] of MAGICS)
    if (
      bytes.length >= magic.length &&
      [...magic].every((char, index) => bytes[index] === char.charCodeAt(0))
    )
      return name;
  return null;
}
