/**
 * Stands between the driver and a server that somebody else runs, and reads the frames of its
 * protocol (a letter, a length, a body) to keep out what would harm this process: messages without
 * bound, which the driver collects in memory, and a SCRAM exchange of so many rounds that deriving
 * the key would stop the event loop. It notes the key by which statements are cancelled.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { SourceError } from "../source-error.ts";

/** A row of a table is one message; PostgreSQL itself ends at 1 GiB. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** What is told of a catalog, which the driver collects; each message takes memory beside its bytes. */
const MAX_COLLECTED_BYTES = 256 * 1024 * 1024;
const MESSAGE_BYTES = 128;
/** Before the server is ready it has little to say. */
const MAX_STARTUP_BYTES = 64 * 1024;
/** RFC 7677 asks for 4,096, which is PostgreSQL's own number. The driver derives on the loop: 25 ms for so many. */
const MAX_SCRAM_ROUNDS = 100_000;

const AUTHENTICATION = "R".charCodeAt(0);
const BACKEND_KEY = "K".charCodeAt(0);
const COPY_OUT = "H".charCodeAt(0);
const COPY_DATA = "d".charCodeAt(0);
const READY = "Z".charCodeAt(0);
const SASL_CONTINUE = 11;
const HEADER_BYTES = 5;
const STRANGE = "does not answer as a PostgreSQL server does";

export interface CancelKey {
  readonly process: number;
  readonly secret: number;
}

export class GuardedStream extends Duplex {
  readonly #socket: Socket;
  readonly #place: string;
  /** Header bytes of a frame, or the whole frame while the connection starts. */
  #head = Buffer.alloc(0);
  /** Bytes of the current frame's body that are still to come. */
  #left = 0;
  #started = false;
  /** The server has asked for a derived key, which it does once. */
  #derived = false;
  /** The current frame is the beginning of a COPY. */
  #copyBegins = false;
  /** What followed such a frame is still to be passed on. */
  #holding = false;
  /** Of messages since the last statement ended, but for data that is read as it comes. */
  #collected = 0;
  #key: CancelKey | null = null;

  constructor(socket: Socket, place: string) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#place = place;
    // The driver listens too, but not before and after its own time with the stream.
    this.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  /** Null until the server has sent it; some poolers send none. */
  get cancelKey(): CancelKey | null {
    return this.#key;
  }

  /** As the driver asks a socket. */
  get readyState(): "open" | "closed" {
    return this.destroyed || this.writableEnded ? "closed" : "open";
  }

  setKeepAlive(enable: boolean, delay: number): this {
    this.#socket.setKeepAlive(enable, delay);
    return this;
  }

  override _read(): void {
    if (!this.#holding) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#socket.write(chunk)) done();
    else this.#socket.once("drain", () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    let end: number;
    try {
      end = this.#inspect(chunk);
    } catch (error) {
      this.destroy(error instanceof Error ? error : undefined);
      return;
    }
    if (!this.push(chunk.subarray(0, end)) || end < chunk.length) this.#socket.pause();
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  /**
   * A failure that comes in the same packet as the beginning of a COPY would be an error of a stream
   * that the driver has given to nobody yet, which ends the process: what follows the beginning waits
   * until the stream has its reader.
   */
  #hold(rest: Buffer): void {
    this.#holding = true;
    setImmediate(() => {
      this.#holding = false;
      if (this.destroyed) return;
      this.#socket.resume();
      this.#take(rest);
    });
  }

  /** How many of the bytes may go on at once. */
  #inspect(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at);
        this.#left -= step;
        at += step;
      } else {
        at = this.#started ? this.#skipHeader(chunk, at) : this.#collect(chunk, at);
      }
      if (this.#copyBegins && this.#left === 0) {
        this.#copyBegins = false;
        return at;
      }
    }
    return at;
  }

  /** Takes header bytes and leaves the body's length in `#left`. */
  #skipHeader(chunk: Buffer, at: number): number {
    if (this.#head.length === 0 && at + HEADER_BYTES <= chunk.length) {
      this.#begin(chunk.subarray(at, at + HEADER_BYTES));
      return at + HEADER_BYTES;
    }
    const end = Math.min(chunk.length, at + HEADER_BYTES - this.#head.length);
    this.#head = Buffer.concat([this.#head, chunk.subarray(at, end)]);
    if (this.#head.length === HEADER_BYTES) {
      this.#begin(this.#head);
      this.#head = Buffer.alloc(0);
    }
    return end;
  }

  #begin(header: Buffer): void {
    // The driver would answer it at any time.
    if (header[0] === AUTHENTICATION) throw this.#broken(STRANGE);
    this.#copyBegins = header[0] === COPY_OUT;
    this.#left = this.#bodyBytes(header.readUInt32BE(1), MAX_MESSAGE_BYTES);
    if (header[0] === READY) this.#collected = 0;
    else if (header[0] !== COPY_DATA) this.#count(this.#left);
  }

  #count(bytes: number): void {
    this.#collected += bytes + MESSAGE_BYTES;
    if (this.#collected > MAX_COLLECTED_BYTES) {
      throw this.#broken("tells more of its catalog than is taken");
    }
  }

  /** Collects whole frames while the connection starts. */
  #collect(chunk: Buffer, at: number): number {
    const known = this.#head.length >= HEADER_BYTES;
    const bytes = known
      ? HEADER_BYTES + this.#bodyBytes(this.#head.readUInt32BE(1), MAX_STARTUP_BYTES)
      : HEADER_BYTES;
    const end = Math.min(chunk.length, at + bytes - this.#head.length);
    this.#head = Buffer.concat([this.#head, chunk.subarray(at, end)]);
    if (this.#head.length < HEADER_BYTES) return end;
    const whole = HEADER_BYTES + this.#bodyBytes(this.#head.readUInt32BE(1), MAX_STARTUP_BYTES);
    if (this.#head.length === whole) {
      const frame = this.#head;
      this.#head = Buffer.alloc(0);
      this.#startup(frame);
    }
    return end;
  }

  #startup(frame: Buffer): void {
    this.#count(frame.length);
    const letter = frame[0];
    if (letter === READY) this.#started = true;
    if (letter === BACKEND_KEY && frame.length >= 13) {
      this.#key = { process: frame.readInt32BE(5), secret: frame.readInt32BE(9) };
    }
    if (letter !== AUTHENTICATION || frame.length < 9) return;
    if (frame.readUInt32BE(5) !== SASL_CONTINUE) return;
    // RFC 5802, 7: server-first-message. The driver takes the last of members that begin with one letter, so that
    // there may be no second.
    const first = /^r=[^,]+,s=[A-Za-z0-9+/=]+,i=([0-9]{1,15})$/.exec(frame.toString("latin1", 9));
    if (first === null || this.#derived) throw this.#broken(STRANGE);
    this.#derived = true;
    if (Number(first[1]) > MAX_SCRAM_ROUNDS) {
      throw this.#broken(`asks for a password derived in more than ${MAX_SCRAM_ROUNDS} rounds`);
    }
  }

  #bodyBytes(length: number, most: number): number {
    if (length < 4) throw this.#broken(STRANGE);
    if (length > most) {
      throw this.#broken(
        this.#started
          ? `sent a row of ${length} bytes, beyond the ${most} that are taken`
          : STRANGE,
      );
    }
    return length - 4;
  }

  #broken(what: string): SourceError {
    return new SourceError("broken", `${this.#place} ${what}.`);
  }
}
