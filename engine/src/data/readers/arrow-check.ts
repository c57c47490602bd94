/**
 * Whether a column's buffers hold what its batch promises. Lengths come from metadata that may be
 * damaged: believed unseen, they would have a reader loop over billions of rows that are not there.
 */

import { type Data, type Decimal, type Dictionary, Type, type Vector } from "apache-arrow";
import { DataError } from "../table.ts";

/** Entries of the values' array a value. */
function entriesPerValue(data: Data): number {
  return data.typeId === Type.Decimal ? (data as Data<Decimal>).type.bitWidth / 32 : 1;
}

/** @throws DataError where the data are not `length` whole values */
export function checkArrowData(data: Data, name: string, length: number): void {
  const fail = (): never => {
    throw new DataError(
      `Column ${JSON.stringify(name)} is damaged: the file promises more values of it than it holds.`,
      { column: name },
    );
  };
  if (data.length !== length || !Number.isSafeInteger(length) || length < 0) fail();
  const { type } = data;
  if (type.typeId === Type.Null) {
    // Nothing holds a null column's length to account.
    if (length > 0x7fff_ffff) fail();
    return;
  }
  const bitmap = data.nullBitmap;
  if (data.nullCount > 0 && (!bitmap || bitmap.length * 8 < data.offset + length)) fail();
  if (type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8) {
    const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined;
    if (length === 0) return;
    if (!offsets || offsets.length < length + 1 || Number(offsets[0]) < 0) fail();
    else {
      for (let i = 0; i < length; i++) if (offsets[i] > offsets[i + 1]) fail();
      if (Number(offsets[length]) > (data.values?.length ?? 0)) fail();
    }
    return;
  }
  const held = (data.values as ArrayLike<unknown> | undefined)?.length ?? 0;
  if (type.typeId === Type.Bool) {
    if (held * 8 < data.offset + length) fail();
  } else if (held < length * entriesPerValue(data)) fail();
  if (type.typeId !== Type.Dictionary) return;
  const dictionary = (data as Data<Dictionary>).dictionary as Vector | undefined;
  for (const chunk of dictionary?.data ?? []) checkArrowData(chunk, name, chunk.length);
  const entries = dictionary?.length ?? 0;
  const indices = data.values as ArrayLike<number | bigint>;
  for (let i = 0; i < length; i++) {
    if (data.getValid(i) && !(indices[i] >= 0 && indices[i] < entries)) fail();
  }
}
