import type {
  CategoricalParameter,
  FloatParameter,
  IntegerParameter,
  Parameter,
  ParameterValue,
} from "../../../search/space.ts";
import { readableRange } from "./history.ts";
import { type Chart, isWide, SERIES } from "./spec.ts";

export interface SlicePlot {
  readonly name: string;
  readonly parameter: Parameter;
  readonly points: readonly { readonly at: ParameterValue; readonly value: number }[];
  /** Of the best trial, where it has this parameter. */
  readonly best: { readonly at: ParameterValue; readonly value: number } | null;
  readonly title: string;
  readonly direction: "minimize" | "maximize";
}

/** Trials' values beside those of one parameter; a ring is the best. */
export function sliceSpec({ name, parameter, points, best, title, direction }: SlicePlot): Chart {
  const values = points.map(({ value }) => value);
  const isLog = isWide(values);
  const domain = isLog
    ? readableRange(values.map(Math.log), direction).map(Math.exp)
    : readableRange(values, direction);
  const y = {
    field: "value",
    type: "quantitative",
    title,
    scale: isLog
      ? { type: "log" as const, domain, clamp: true }
      : { domain, zero: false, clamp: true },
  } as const;
  const isCategorical = parameter.type === "categorical";
  const x = isCategorical
    ? ({
        field: "at",
        type: "nominal",
        title: name,
        sort: choicesOf(parameter),
        axis: { labelAngle: 0, labelLimit: 90 },
      } as const)
    : ({
        field: "at",
        type: "quantitative",
        title: name,
        scale: {
          domain: rangeOf(parameter),
          zero: false,
          nice: false,
          ...(parameter.log === true && parameter.low > 0 ? { type: "log" as const } : {}),
        },
      } as const);
  const datum = ({ at, value }: SlicePlot["points"][number]) => ({
    at: isCategorical ? String(at) : Number(at),
    value,
  });
  const ring = {
    type: "point",
    filled: false,
    size: 120,
    strokeWidth: 2,
    color: "var(--ink)",
  } as const;
  return {
    spec: {
      height: 220,
      layer: [
        {
          data: { values: points.map(datum) },
          mark: { type: "point", filled: true, size: 34, opacity: 0.7, color: SERIES[0] },
          encoding: { x, y },
        },
        ...(best === null
          ? []
          : [{ data: { values: [datum(best)] }, mark: ring, encoding: { x, y } }]),
      ],
    },
    legend: [],
  };
}

const rangeOf = ({ low, high }: FloatParameter | IntegerParameter): number[] => [low, high];

const choicesOf = ({ choices }: CategoricalParameter): string[] => choices.map(String);
