import { Int32, Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource, messagesOf, openArrow, type PlacedMessage } from "./messages.ts";
import { ArrowStream } from "./stream.ts";

const batch = (from: number): Table =>
  new Table({
    n: vectorFromArray([from, from + 1, null], new Int32()),
    t: vectorFromArray(["a", null, `t${from}`], new Utf8()),
  });
const TABLE = batch(1).concat(batch(10), batch(100));
const STREAM = tableToIPC(TABLE, "stream");
const FILE = tableToIPC(TABLE, "file");
/** The end mark: a continuation and a length of zero. */
const MARK_BYTES = 8;

async function* piecesOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  for (const [i, start] of places.entries()) {
    if (i + 1 < places.length) yield bytes.subarray(start, places[i + 1]);
  }
}

const streamOf = (
  bytes: Uint8Array,
  cuts: readonly number[] = [],
  onHeld: (bytes: number) => void = () => undefined,
): ArrowStream => new ArrowStream(new Uint8Array(), piecesOf(bytes, cuts), onHeld);

/** What a message says of itself, and its whole body. */
const shown = ({ message, read }: PlacedMessage) => ({
  kind: message.kind,
  body: [...read(0, message.bodyLength)],
});

async function readWhole(stream: ArrowStream): Promise<ReturnType<typeof shown>[]> {
  await stream.schema();
  const seen = [];
  for await (const placed of stream.messages()) seen.push(shown(placed));
  return seen;
}

const ofBytes = (bytes: Uint8Array) => Array.from(messagesOf(openArrow(bytesSource(bytes))), shown);

describe("messages of a stream in pieces", () => {
  it("are the same, wherever the pieces are cut", async () => {
    const whole = ofBytes(STREAM);
    expect(whole.map(({ kind }) => kind)).toEqual(["batch", "batch", "batch"]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(STREAM.length - 1), { maxLength: 20 }), async (cuts) => {
        const stream = streamOf(STREAM, cuts);
        expect(await readWhole(stream)).toEqual(whole);
        expect(stream.isMarked).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("end with the stream where no mark ends them", async () => {
    const stream = streamOf(STREAM.subarray(0, -MARK_BYTES));
    expect(await readWhole(stream)).toEqual(ofBytes(STREAM));
    expect(stream.isMarked).toBe(false);
  });

  it("are all there, or the stream says within which it ends", async () => {
    const whole = ofBytes(STREAM);
    const last = STREAM.length - MARK_BYTES;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: last - 1 }), async (end) => {
        const read = readWhole(streamOf(STREAM.subarray(0, end)));
        const seen = await read.catch((error: Error) => error.message);
        // A cut between two messages cannot be told from an end.
        if (typeof seen === "string") expect(seen).toMatch(/ends within the message at byte \d+$/);
        else expect(seen).toEqual(whole.slice(0, seen.length));
      }),
      { numRuns: 60 },
    );
  });

  it("come behind bytes that were taken before", async () => {
    const stream = new ArrowStream(
      STREAM.subarray(0, 13),
      piecesOf(STREAM.subarray(13), [5]),
      () => undefined,
    );
    expect(await readWhole(stream)).toEqual(ofBytes(STREAM));
  });

  it("are held no further than whoever counts them allows", async () => {
    const cuts = Array.from({ length: STREAM.length / 16 }, (_, i) => 16 * i);
    let most = 0;
    await readWhole(streamOf(STREAM, cuts, (bytes) => (most = Math.max(most, bytes))));
    expect(most).toBeGreaterThan(16);
    expect(most).toBeLessThan(STREAM.length);
    const stop = new Error("too much");
    const refusing = streamOf(STREAM, cuts, (bytes) => {
      if (bytes >= most) throw stop;
    });
    await expect(readWhole(refusing)).rejects.toBe(stop);
  });

  it("begin with a schema", async () => {
    const { blocks } = openArrow(bytesSource(FILE));
    const first = blocks?.[0] ?? 0;
    await expect(streamOf(FILE.subarray(first)).schema()).rejects.toThrow("begin with a schema");
    await expect(streamOf(new Uint8Array()).schema()).rejects.toThrow("begin with a schema");
    const twice = streamOf(Buffer.concat([STREAM.subarray(0, -MARK_BYTES), STREAM]));
    await expect(readWhole(twice)).rejects.toThrow("does the file contain two streams");
  });
});

describe("messages of a file", () => {
  it("are where its footer says, and those of its stream", () => {
    const file = openArrow(bytesSource(FILE));
    expect(file.blocks).toHaveLength(3);
    expect(file.fields.map(({ name }) => name)).toEqual(["n", "t"]);
    expect(ofBytes(FILE)).toEqual(ofBytes(STREAM));
  });

  it("are none twice", () => {
    const file = openArrow(bytesSource(FILE));
    const [first = 0] = file.blocks ?? [];
    const endless = { ...file, blocks: new Array<number>(100).fill(first) };
    expect(() => [...messagesOf(endless)]).toThrow("points to a message twice");
  });

  it.each([
    ["nothing", new Uint8Array(), "the file is empty"],
    ["no footer", FILE.subarray(0, FILE.length - 20), "it has no footer"],
    ["only its magic", FILE.subarray(0, 8), "it has no footer"],
    ["a footer of no size", withFooterLength(0), "impossible size"],
    ["a footer before the file", withFooterLength(FILE.length), "impossible size"],
    ["another format", Buffer.from("PAR1 and more"), "this is a Parquet file, not an Arrow file"],
  ])("are refused with %s", (_, bytes, message) => {
    expect(() => openArrow(bytesSource(bytes))).toThrow(message);
  });

  function withFooterLength(length: number): Uint8Array {
    const bytes = Buffer.from(FILE);
    bytes.writeInt32LE(length, bytes.length - 10);
    return bytes;
  }
});
