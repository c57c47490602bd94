/** Channels that a transform reads, where it draws some of many for each of its kernels. */

export interface ReadChannels {
  /** Ascending; all where one alone would be read of several, which kernels take for a set of one channel. */
  readonly channels: Int32Array;
  /** What was drawn, by their places among these. */
  readonly members: Int32Array;
}

/** @param drawn empty where there is one channel */
export function readChannels(drawn: Int32Array, channels: number): ReadChannels {
  const isRead = new Uint8Array(channels);
  for (const channel of drawn) isRead[channel] = 1;
  const distinct = isRead.reduce((sum, one) => sum + one, 0);
  const read = new Int32Array(distinct < 2 ? channels : distinct);
  const places = new Int32Array(channels);
  let count = 0;
  for (let channel = 0; channel < channels; channel++) {
    places[channel] = count;
    if (distinct < 2 || isRead[channel] === 1) read[count++] = channel;
  }
  return { channels: read, members: drawn.map((channel) => places[channel]) };
}
