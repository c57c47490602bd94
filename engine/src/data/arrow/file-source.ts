/** A file of Arrow messages on disk, open only while something is read of it. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ArrowFileError } from "./file-error.ts";
import type { ArrowBytes, ArrowSource } from "./messages.ts";

export class FileSource implements ArrowSource {
  readonly #path: string;
  #open: ArrowBytes | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  open<Result>(use: (bytes: ArrowBytes) => Result): Result {
    if (this.#open !== null) return use(this.#open);
    const file = openSync(this.#path, "r");
    try {
      this.#open = { size: fstatSync(file).size, read: (at, length) => readAt(file, at, length) };
      return use(this.#open);
    } finally {
      this.#open = null;
      closeSync(file);
    }
  }
}

function readAt(file: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, at + done);
    if (count === 0) throw new ArrowFileError("the file ends early");
    done += count;
  }
  return bytes;
}
