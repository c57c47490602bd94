/**
 * Tesseract (Smith, "An overview of the Tesseract OCR engine", ICDAR 2007) as WebAssembly in a thread of
 * this process: started when first needed, kept for the next image. Its English data comes from the
 * registry with the service; nothing is fetched, nothing is written.
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Tesseract from "tesseract.js";

const DATA = "4.0.0_best_int";

/** As many dots an inch as tesseract expects of an image that does not say. */
const RESOLUTION = "300";

export type Segmentation = "page" | "column";

export type RecognisedLine = Tesseract.Line;

const MODES: Readonly<Record<Segmentation, Tesseract.PSM>> = {
  page: Tesseract.PSM.AUTO,
  column: Tesseract.PSM.SINGLE_COLUMN,
};

let started: Promise<Tesseract.Worker> | null = null;

/**
 * @param image PNG, JPEG, TIFF or a Netpbm map
 * @param segmentation `column` where there are no columns beside each other, as on a receipt
 * @throws RecognitionFailure; what the signal is aborted with
 */
export async function recognise(
  image: Uint8Array,
  segmentation: Segmentation,
  signal?: AbortSignal,
): Promise<RecognisedLine[]> {
  signal?.throwIfAborted();
  started ??= start();
  const stop = (): void => void stopRecognition();
  signal?.addEventListener("abort", stop);
  try {
    const worker = await started;
    await worker.setParameters({
      tessedit_pageseg_mode: MODES[segmentation],
      user_defined_dpi: RESOLUTION,
    });
    const work = worker.recognize(Buffer.from(image), {}, { text: false, blocks: true });
    const { data } = await (signal === undefined ? work : Promise.race([work, aborted(signal)]));
    return (data.blocks ?? []).flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ lines }) => lines),
    );
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

/** Ends the thread; a later image starts another. */
export async function stopRecognition(): Promise<void> {
  const last = started;
  started = null;
  await (await last)?.terminate();
}

async function start(): Promise<Tesseract.Worker> {
  const data = dirname(fileURLToPath(import.meta.resolve("@tesseract.js-data/eng/package.json")));
  return await Tesseract.createWorker("eng", Tesseract.OEM.LSTM_ONLY, {
    langPath: join(data, DATA),
    cacheMethod: "none",
    gzip: true,
    logger: () => undefined,
    // Each call rejects for itself.
    errorHandler: () => undefined,
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
