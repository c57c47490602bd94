/**
 * What a store takes for files: so long for each, and so long for each of their bytes, by least squares over those that
 * it has taken or given. Files of some kilobytes wait for the disk or the network, and say nothing of how fast bytes go.
 */

/** Seconds for a file, and for a byte of it. */
export interface FilePrice {
  readonly file: number;
  readonly byte: number;
}

export interface StorePrice {
  readonly writing: FilePrice;
  readonly reading: FilePrice;
}

/** A store that has not shown what it takes: a slow disk, or objects elsewhere. */
export const USUAL_STORE: StorePrice = {
  writing: { file: 0.003, byte: 1 / 120e6 },
  reading: { file: 0.001, byte: 1 / 120e6 },
};
/** What the usual price counts as: files without bytes, and one of so many. */
const USUAL = { files: 4, bytes: 2e6 };

export class StoreMeter {
  /** Of all files: how many, and sums of their bytes, their seconds, and the products. */
  readonly #sums = { files: 0, bytes: 0, seconds: 0, bytesSquared: 0, bytesSeconds: 0 };

  constructor(usual: FilePrice) {
    for (let file = 0; file < USUAL.files; file++) this.observe(0, usual.file);
    this.observe(USUAL.bytes, secondsOf(usual, 1, USUAL.bytes));
  }

  /** @param seconds ≥ 0 until the store had done so */
  observe(bytes: number, seconds: number): void {
    const sums = this.#sums;
    sums.files++;
    sums.bytes += bytes;
    sums.seconds += seconds;
    sums.bytesSquared += bytes * bytes;
    sums.bytesSeconds += bytes * seconds;
  }

  /** As far as the store has shown. Neither is below 0. */
  get price(): FilePrice {
    const { files, bytes, seconds, bytesSquared, bytesSeconds } = this.#sums;
    const slope = (files * bytesSeconds - bytes * seconds) / (files * bytesSquared - bytes * bytes);
    // Where the line would begin below 0, one through it is the nearest.
    const byte = Math.min(Math.max(0, slope), bytesSeconds / bytesSquared);
    return { byte, file: Math.max(0, (seconds - bytes * byte) / files) };
  }
}

export function secondsOf({ file, byte }: FilePrice, files: number, bytes: number): number {
  return files * file + bytes * byte;
}
