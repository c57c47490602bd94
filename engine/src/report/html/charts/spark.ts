/** A histogram the size of a word. */

import { type Html, html } from "../markup.ts";

export function spark(counts: readonly number[]): Html {
  const highest = Math.max(1, ...counts);
  const width = 120 / counts.length;
  const round = (value: number): string => String(Math.round(value * 10) / 10);
  return html`<svg class="spark" viewBox="0 0 120 30" aria-hidden="true" focusable="false">${counts.map(
    (count, i) => {
      // What is there at all can be seen.
      const height = count === 0 ? 0 : Math.max(1, (29 * count) / highest);
      return html`<rect x="${round(i * width)}" y="${round(30 - height)}" width="${round(Math.max(0.5, width - (counts.length > 1 ? 1 : 0)))}" height="${round(height)}" fill="currentColor"/>`;
    },
  )}</svg>`;
}

/** A share of the whole as a bar in a line of text. */
export function shareBar(share: number): Html {
  const width = Math.round(Math.min(1, Math.max(0, share)) * 90);
  return html`<svg class="bar" viewBox="0 0 90 8" aria-hidden="true" focusable="false"><rect width="90" height="8" rx="2" fill="currentColor" fill-opacity="0.15"/><rect width="${width}" height="8" rx="2" fill="currentColor"/></svg>`;
}
