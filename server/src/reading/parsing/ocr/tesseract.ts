/**
 * Tesseract (Smith, "An overview of the Tesseract OCR engine", ICDAR 2007) as WebAssembly in a thread of
 * this process: started when first needed, kept for the next image, one for English and one for what
 * else was read last; nothing is fetched, nothing is written.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import Tesseract from "tesseract.js";
import { installedLanguages, type LanguageCode } from "./languages.ts";

/** As many dots an inch as tesseract expects of an image that does not say. */
const RESOLUTION = "300";

export type Segmentation = "page" | "column";

export type RecognisedLine = Tesseract.Line;

const MODES: Readonly<Record<Segmentation, Tesseract.PSM>> = {
  page: Tesseract.PSM.AUTO,
  column: Tesseract.PSM.SINGLE_COLUMN,
};

const ENGLISH: readonly LanguageCode[] = ["eng"];

/** By the languages that it reads in. */
const started = new Map<string, Promise<Tesseract.Worker>>();

/** Data of languages takes memory: besides English one thread is kept. */
const MOST_THREADS = 2;

export interface RecognitionOptions {
  /** English alone where it is absent; the first is preferred. */
  readonly languages?: readonly LanguageCode[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param image a Netpbm map, or what else Leptonica decodes
 * @param segmentation `column` where there are no columns beside each other, as on a receipt
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function recognise(
  image: Uint8Array,
  segmentation: Segmentation,
  { languages = ENGLISH, signal }: RecognitionOptions = {},
): Promise<RecognisedLine[]> {
  const { blocks } = await working(languages, signal, async (worker) => {
    await worker.setParameters({
      tessedit_pageseg_mode: MODES[segmentation],
      user_defined_dpi: RESOLUTION,
    });
    return worker.recognize(Buffer.from(image), {}, { text: false, blocks: true });
  });
  return (blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

/**
 * What Leptonica, which tesseract reads images with, makes of one that nothing else here decodes.
 *
 * @param image TIFF: its first page, upright as its file says
 * @returns grey, as PNG
 * @throws RecognitionFailure where it cannot be decoded; what the signal is aborted with
 */
export async function decodedByTesseract(
  image: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { imageGrey } = await working(ENGLISH, signal, (worker) =>
    worker.recognize(Buffer.from(image), {}, { text: false, imageGrey: true }),
  );
  if (imageGrey === null) throw new RecognitionFailure("the image was not decoded");
  return Buffer.from(imageGrey.slice(imageGrey.indexOf(",") + 1), "base64");
}

async function working(
  languages: readonly LanguageCode[],
  signal: AbortSignal | undefined,
  task: (worker: Tesseract.Worker) => Promise<Tesseract.RecognizeResult>,
): Promise<Tesseract.Page> {
  signal?.throwIfAborted();
  const stop = (): void => void stopRecognition();
  signal?.addEventListener("abort", stop);
  try {
    const work = task(await threadFor(languages));
    const { data } = await (signal === undefined ? work : Promise.race([work, aborted(signal)]));
    return data;
  } catch (cause) {
    signal?.throwIfAborted();
    // What failed once may have left it in any state.
    await stopRecognition();
    throw new RecognitionFailure("the image could not be read optically", { cause });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

export class RecognitionFailure extends Error {
  override readonly name = "RecognitionFailure";
}

/** Ends the threads; a later image starts another. */
export async function stopRecognition(): Promise<void> {
  const last = [...started.values()];
  started.clear();
  // One that did not start has said so to whoever asked for it, and has no thread.
  const running = (await Promise.allSettled(last)).flatMap((each) =>
    each.status === "fulfilled" ? each.value : [],
  );
  await Promise.all(running.map((worker) => worker.terminate()));
}

async function threadFor(languages: readonly LanguageCode[]): Promise<Tesseract.Worker> {
  const key = languages.join("+");
  const there = started.get(key);
  if (there !== undefined) return there;
  const others = [...started].filter(([other]) => other !== ENGLISH.join("+"));
  if (others.length >= MOST_THREADS - 1) {
    for (const [other, worker] of others) {
      started.delete(other);
      await (await worker).terminate();
    }
  }
  const worker = start(languages);
  started.set(key, worker);
  return worker;
}

async function start(languages: readonly LanguageCode[]): Promise<Tesseract.Worker> {
  const installed = installedLanguages();
  const [first, ...others] = languages.flatMap((code) =>
    installed.filter((language) => language.code === code),
  );
  if (first === undefined) throw new RecognitionFailure("no data of the language is installed");
  // The worker counts the languages of this list as loaded (it keeps the list, not a copy).
  const loaded: string[] = [first.code];
  const worker = await Tesseract.createWorker(loaded, Tesseract.OEM.LSTM_ONLY, {
    langPath: first.folder,
    cacheMethod: "none",
    gzip: true,
    logger: () => undefined,
    // Each call rejects for itself.
    errorHandler: () => undefined,
  });
  if (others.length === 0) return worker;
  // It looks for all data in one folder, and each language has its own: the others are put beside.
  for (const { code, folder } of others) {
    const packed = await readFile(join(folder, `${code}.traineddata.gz`));
    await worker.FS("writeFile", [`${code}.traineddata`, await promisify(gunzip)(packed)]);
    loaded.push(code);
  }
  await worker.reinitialize(loaded.join("+"), Tesseract.OEM.LSTM_ONLY);
  return worker;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
