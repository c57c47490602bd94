/** One model's share of the traffic: a slider and a number, both of which move the other models' shares. */

import { useId } from "react";
import { Button } from "../../../ui/button.tsx";
import { ModelLink } from "../models.tsx";
import { toHundredths, toPercent } from "./split.ts";

interface ShareRowProps {
  readonly reference: string;
  readonly id: string | null;
  /** Among the models, from 0: its colour. */
  readonly place: number;
  /** Hundredths of a percent. */
  readonly share: number;
  readonly isAlone: boolean;
  readonly mayWrite: boolean;
  readonly fault: string | undefined;
  /** @param hundredths of a percent */
  readonly onMove: (hundredths: number) => void;
  readonly onRemove: () => void;
}

export function ShareRow({
  reference,
  id,
  place,
  share,
  isAlone,
  mayWrite,
  fault,
  onMove,
  onRemove,
}: ShareRowProps) {
  const own = useId();
  const percent = toPercent(share);
  const isFixed = isAlone || !mayWrite;
  return (
    <li>
      <span id={own} className="share-name">
        <span className={`swatch series-${place % 8}`} aria-hidden="true" />
        <ModelLink reference={reference} id={id} />
      </span>
      <input
        type="range"
        min={0}
        max={100}
        step={1}
        value={percent}
        aria-label="Percent of the traffic"
        aria-describedby={own}
        aria-valuetext={`${percent} percent`}
        disabled={isFixed}
        onChange={(event) => onMove(toHundredths(event.target.valueAsNumber))}
      />
      <span className="share-number">
        <input
          type="number"
          min={0}
          max={100}
          step="any"
          value={percent}
          aria-label="Percent of the traffic, as a number"
          aria-describedby={own}
          disabled={isFixed}
          onChange={({ target }) => {
            if (Number.isFinite(target.valueAsNumber)) onMove(toHundredths(target.valueAsNumber));
          }}
        />
        %
      </span>
      {mayWrite && (
        <Button
          look="quiet"
          disabled={isAlone}
          aria-describedby={own}
          title={isAlone ? "An endpoint has one model at least" : undefined}
          onClick={onRemove}
        >
          Remove
        </Button>
      )}
      {fault && <p className="fault">{fault}</p>}
    </li>
  );
}
