/** Arrow files on disk, open only while something is read of them: a scan that is given up holds nothing. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  type ArrowBytes,
  type ArrowFile,
  ArrowFileError,
  type ArrowSource,
  openArrow,
} from "@distillery/engine/arrow";

export interface ArrowPath extends ArrowFile {
  readonly path: string;
}

/** @throws ArrowFileError, ArrowSchemaError */
export function openArrowPath(path: string): ArrowPath {
  // What is read within another reading shares its descriptor: a batch of many columns is opened once.
  let open: ArrowBytes | null = null;
  const source: ArrowSource = {
    open: (use) => {
      if (open !== null) return use(open);
      return reading(path, (bytes) => {
        open = bytes;
        try {
          return use(bytes);
        } finally {
          open = null;
        }
      });
    },
  };
  return { path, ...openArrow(source) };
}

function reading<Result>(path: string, use: (bytes: ArrowBytes) => Result): Result {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const read = (offset: number, length: number): Uint8Array => {
      if (offset + length > size) throw new ArrowFileError("the file ends early");
      const bytes = new Uint8Array(length);
      for (let filled = 0; filled < length; ) {
        const got = readSync(descriptor, bytes, filled, length - filled, offset + filled);
        if (got === 0) throw new ArrowFileError("the file ends early");
        filled += got;
      }
      return bytes;
    };
    return use({ size, read });
  } finally {
    closeSync(descriptor);
  }
}
