/**
 * What stretches of a sequence's channels add to its prediction, whatever the model is made of: Shapley
 * values over segments (Shapley 1953), where one that is left out is missing, as families read it: on a
 * straight line between its neighbours, or with nothing of a channel left, its mean in training. Of few
 * segments all coalitions are asked, so the values are exact; of more, orders and their reverses are drawn
 * (antithetic permutation sampling: Mitchell, Cooper, Frank & Holmes, JMLR 23, 2022, §3), and the standard
 * error of each value over the pairs is told.
 */

import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { SequenceFrame } from "../data/frame.ts";
import { DataError } from "../data/table.ts";

/** What one stretch of a channel adds to the prediction of a sequence. */
export interface SegmentContribution {
  /** The column of the channel, or channels. */
  readonly column: string;
  /** Steps of the sequence from 0; `end` is behind the last. */
  readonly start: number;
  readonly end: number;
  /** One an output. */
  readonly contributions: readonly number[];
  /** Standard errors of sampling, likewise; 0 where all coalitions were asked. */
  readonly errors: readonly number[];
}

/** One sequence, explained by channels and stretches of time. */
export interface SegmentExplanation {
  /** Of the sequence with every step missing, one an output. */
  readonly baseValues: readonly number[];
  /** Base and all contributions; values, or probabilities. */
  readonly predictions: readonly number[];
  readonly exact: boolean;
  /** Of each column its segments by time. */
  readonly segments: readonly SegmentContribution[];
}

export interface SegmentRequest {
  /** Of one sequence. */
  readonly frame: SequenceFrame;
  /** Segments that each channel is cut into, of equal length; a short sequence has one a step. */
  readonly segments: number;
  /** Predictions that sampling may ask, within bounds; default `MOST_ASKED`. */
  readonly asked?: number;
  /** Row-major, sequences × outputs: of the same sequence with some of its steps missing. */
  predict(frame: SequenceFrame): Float64Array;
}

/** Up to so many, all coalitions are asked. */
const EXACT_PLAYERS = 8;
/** Segments of all columns together. */
export const MOST_PLAYERS = 256;
/** Predictions that sampling asks, within bounds of pairs. */
export const MOST_ASKED = 1024;
const PAIRS = { least: 4, most: 16 };
/** Numbers of one call of `predict`. */
const CALL_VALUES = 2_000_000;

/** The fewest predictions that explaining so many segments asks for. */
export function leastAsked(players: number): number {
  return players <= EXACT_PLAYERS ? 2 ** players : 2 * PAIRS.least * players;
}

interface Player {
  readonly column: string;
  readonly channels: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** @throws DataError for more segments than `MOST_PLAYERS` in all */
export function explainSegments(request: SegmentRequest): SegmentExplanation {
  const players = playersOf(request);
  const game = new Game(request, players);
  const exact = players.length <= EXACT_PLAYERS;
  const found = exact ? byAllCoalitions(game) : byOrders(game, request.asked ?? MOST_ASKED);
  const { baseValues, predictions } = game;
  return {
    baseValues: [...baseValues],
    predictions: [...predictions],
    exact,
    segments: players.map(({ column, start, end }, p) => ({ column, start, end, ...found[p] })),
  };
}

function playersOf({ frame, segments }: SegmentRequest): Player[] {
  const steps = frame.offsets[1] - frame.offsets[0];
  const parts = Math.min(segments, steps);
  const columns = [...new Set(frame.columns)];
  if (parts * columns.length > MOST_PLAYERS) {
    throw new DataError(
      `${columns.length} channels in ${parts} segments are ${parts * columns.length}; at most ${MOST_PLAYERS} are explained at once. Ask for fewer segments.`,
    );
  }
  return columns.flatMap((column) => {
    const channels = frame.columns.flatMap((name, c) => (name === column ? [c] : []));
    return Array.from({ length: parts }, (_, part) => ({
      column,
      channels,
      start: Math.floor((part * steps) / parts),
      end: Math.floor(((part + 1) * steps) / parts),
    }));
  });
}

/** What is predicted where some players alone are there. */
class Game {
  readonly players: number;
  readonly baseValues: Float64Array;
  readonly predictions: Float64Array;
  readonly #request: SegmentRequest;
  readonly #players: readonly Player[];

  constructor(request: SegmentRequest, players: readonly Player[]) {
    this.#request = request;
    this.#players = players;
    this.players = players.length;
    [this.baseValues, this.predictions] = this.values([
      new Uint8Array(players.length),
      new Uint8Array(players.length).fill(1),
    ]);
  }

  /** @param coalitions 1 where a player is there; the outputs of each */
  values(coalitions: readonly Uint8Array[]): Float64Array[] {
    const { frame, predict } = this.#request;
    const numbers = Math.max(1, (frame.offsets[1] - frame.offsets[0]) * frame.channels);
    const size = Math.max(1, Math.floor(CALL_VALUES / numbers));
    const values: Float64Array[] = [];
    for (let first = 0; first < coalitions.length; first += size) {
      const some = coalitions.slice(first, first + size);
      const all = predict(this.#masked(some));
      const outputs = all.length / some.length;
      for (let i = 0; i < some.length; i++) {
        values.push(all.subarray(i * outputs, (i + 1) * outputs));
      }
    }
    return values;
  }

  #masked(coalitions: readonly Uint8Array[]): SequenceFrame {
    const { frame } = this.#request;
    const [from, to] = frame.offsets;
    const steps = to - from;
    const offsets = Uint32Array.from({ length: coalitions.length + 1 }, (_, i) => i * steps);
    const values = frame.values.map((channel) => {
      const out = new Float64Array(coalitions.length * steps);
      for (let i = 0; i < coalitions.length; i++) out.set(channel.subarray(from, to), i * steps);
      return out;
    });
    for (const [i, present] of coalitions.entries()) {
      for (const [p, { channels, start, end }] of this.#players.entries()) {
        if (present[p] === 1) continue;
        for (const c of channels) values[c].fill(Number.NaN, i * steps + start, i * steps + end);
      }
    }
    return { ...frame, count: coalitions.length, offsets, values };
  }
}

type Found = Pick<SegmentContribution, "contributions" | "errors">;

function byAllCoalitions(game: Game): Found[] {
  const { players, predictions } = game;
  const values = game.values(
    Array.from({ length: 2 ** players }, (_, bits) =>
      Uint8Array.from({ length: players }, (_each, p) => (bits >> p) & 1),
    ),
  );
  // Of the orders of n players, a share of s! (n - 1 - s)! / n! has those s ahead of one.
  const weights = [1 / players];
  for (let s = 1; s < players; s++) weights[s] = (weights[s - 1] * s) / (players - s);
  const sizes = values.map((_, bits) => bits.toString(2).replaceAll("0", "").length);
  return Array.from({ length: players }, (_, p) => {
    const sums = new Float64Array(predictions.length);
    for (let bits = 0; bits < values.length; bits++) {
      if ((bits >> p) & 1) continue;
      const weight = weights[sizes[bits]];
      for (let k = 0; k < sums.length; k++) {
        sums[k] += weight * (values[bits | (1 << p)][k] - values[bits][k]);
      }
    }
    return { contributions: [...sums], errors: Array.from(sums, () => 0) };
  });
}

function byOrders(game: Game, asked: number): Found[] {
  const { players, baseValues, predictions } = game;
  const wanted = Math.floor(asked / (2 * players));
  const pairs = Math.max(PAIRS.least, Math.min(PAIRS.most, wanted));
  const random = new CounterRandom(deriveKey(players, "segment-orders"));
  const outputs = predictions.length;
  const [sums, squares] = [0, 1].map(() => new Float64Array(players * outputs));
  for (let pair = 0; pair < pairs; pair++) {
    const order = random.shuffle(Uint32Array.from({ length: players }, (_, p) => p));
    const own = new Float64Array(players * outputs);
    for (const each of [order, order.toReversed()]) {
      const coalitions: Uint8Array[] = [];
      const present = new Uint8Array(players);
      for (const player of each.subarray(0, players - 1)) {
        present[player] = 1;
        coalitions.push(present.slice());
      }
      const values = [...game.values(coalitions), predictions];
      let before = baseValues;
      for (const [i, player] of each.entries()) {
        for (let k = 0; k < outputs; k++) {
          own[player * outputs + k] += (values[i][k] - before[k]) / 2;
        }
        before = values[i];
      }
    }
    for (const [i, value] of own.entries()) {
      sums[i] += value;
      squares[i] += value * value;
    }
  }
  const errorOf = (i: number): number => {
    const variance = (squares[i] - (sums[i] * sums[i]) / pairs) / (pairs - 1);
    return Math.sqrt(Math.max(0, variance) / pairs);
  };
  return Array.from({ length: players }, (_, p) => ({
    contributions: Array.from({ length: outputs }, (_each, k) => sums[p * outputs + k] / pairs),
    errors: Array.from({ length: outputs }, (_each, k) => errorOf(p * outputs + k)),
  }));
}
