/** Plain text for the terminal: tables, bars, durations and one line that changes in place. */

import process from "node:process";

export function table(
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[],
): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          rightAligned.includes(column)
            ? cell.padStart(widths[column])
            : cell.padEnd(widths[column]),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function bar(share: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.round(share * width)));
  return "█".repeat(filled) + "░".repeat(width - filled);
}

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** On a terminal the line is rewritten in place; elsewhere it is printed every few seconds. */
export class StatusLine {
  #last = 0;

  update(text: string): void {
    if (process.stdout.isTTY) {
      process.stdout.write(`\r\x1b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    } else if (Date.now() - this.#last > 5000) {
      this.#last = Date.now();
      process.stdout.write(`${text}\n`);
    }
  }

  end(): void {
    if (process.stdout.isTTY) process.stdout.write("\r\x1b[2K");
  }
}
