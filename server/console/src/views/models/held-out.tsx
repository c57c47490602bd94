/** Two models on the rows that their runs held out: what is known of which is better without further data. */

import { plural } from "@distillery/engine/charts";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import { faultAt } from "../../ui/field.tsx";
import { Loading } from "../../ui/loading.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Difference } from "./difference.tsx";

export function HeldOut({ first, second }: { readonly first: string; readonly second: string }) {
  const { data, error } = useQuery({
    queryKey: ["comparisons", second, first],
    queryFn: ({ signal }) =>
      client.comparisons.get.query({ model_id: second, against: first }, { signal }),
    staleTime: 600_000,
  });
  if (data === undefined) {
    if (error === null) return <Loading label="Resampling the rows" />;
    // That it cannot be said is no failure.
    const why = faultAt(error, "against");
    return why === undefined ? <ProblemNote error={error} /> : <p className="note">{why}</p>;
  }
  const { rows, model_rows, against_rows, same_folds, metrics, bootstrap } = data;
  const isAll = rows === model_rows && rows === against_rows;
  return (
    <>
      <p className="note">
        {isAll
          ? `Over all ${plural(rows, "row")} of the data, each predicted by members that had not learned from it.`
          : `Over the ${plural(rows, "row")} that both runs held out (${plural(against_rows, "row")} of model 1, ${plural(model_rows, "row")} of model 2), each predicted by members that had not learned from it.`}{" "}
        {bootstrap.resamples} resamples of {plural(bootstrap.rows_each, "row")}, the same for both.
      </p>
      {!same_folds && (
        <p className="note">
          The runs parted the rows in different ways, so their members had learned from different
          rows: a part of each difference is of that.
        </p>
      )}
      {metrics.map(({ metric, direction, difference, interval, better_share }) => (
        <Difference
          key={metric}
          metric={metric}
          direction={direction}
          difference={difference}
          interval={interval}
          betterShare={better_share}
          place={2}
        />
      ))}
    </>
  );
}
