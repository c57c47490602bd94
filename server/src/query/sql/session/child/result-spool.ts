/**
 * A result's bytes on their way out. A small one is sent when it is whole; a large one goes into a file, so that the
 * service holds no more of an answer than the piece that its caller takes.
 */

import { type FileHandle, open } from "node:fs/promises";

/** Takes a piece of the result; resolves when the next may come. */
export type SendData = (bytes: Uint8Array) => Promise<void>;

export interface SpoolFile {
  /** Where nothing is. */
  readonly path: string;
  /** What is not larger is sent. */
  readonly beyondBytes: number;
}

export class ResultSpool implements AsyncDisposable {
  readonly #target: SpoolFile;
  readonly #send: SendData;
  #held: Uint8Array[] = [];
  #bytes = 0;
  #file: FileHandle | null = null;

  constructor(target: SpoolFile, send: SendData) {
    this.#target = target;
    this.#send = send;
  }

  readonly send = async (piece: Uint8Array): Promise<void> => {
    this.#bytes += piece.length;
    if (this.#file === null) {
      this.#held.push(piece);
      if (this.#bytes <= this.#target.beyondBytes) return;
      this.#file = await open(this.#target.path, "wx", 0o600);
      await this.#file.writeFile(Buffer.concat(this.#held));
      this.#held = [];
    } else await this.#file.writeFile(piece);
  };

  /** @returns whether all is in the file; else it has been sent */
  async end(): Promise<boolean> {
    if (this.#file !== null) return true;
    for (const piece of this.#held) await this.#send(piece);
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}
