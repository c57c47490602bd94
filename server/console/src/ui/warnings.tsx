/** What is odd about something, as the service says it; nothing where nothing is. */

import { Text } from "./text.tsx";

interface WarningsProps {
  readonly of: readonly string[];
  /** Letters of each that are shown; all unless told. */
  readonly most?: number;
}

export function Warnings({ of, most = Number.POSITIVE_INFINITY }: WarningsProps) {
  if (of.length === 0) return null;
  return (
    <div className="warnings">
      <ul>
        {of.map((warning) => (
          <li key={warning}>
            <Text of={warning} most={most} />
          </li>
        ))}
      </ul>
    </div>
  );
}
