/** How long one row takes, of student and teacher in turns: measured from this page, when it is asked for. */

import { figure } from "@distillery/engine/charts";
import { useMutation } from "@tanstack/react-query";
import { ask } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { useCard } from "../queries.ts";

const TIMES = 15;
/** The first requests load the models. */
const WARMING = 3;

interface Measured {
  readonly student: number;
  readonly teacher: number;
}

export function OneRow({ student, teacher }: Record<"student" | "teacher", string>) {
  const own = useCard(student);
  const others = useCard(teacher);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      inTurns(
        { model: student, row: own.data?.example ?? {} },
        { model: teacher, row: others.data?.example ?? {} },
      ),
  });
  const canAsk = own.data !== undefined && others.data !== undefined;
  return (
    <Card
      title="One row at a time"
      actions={
        <Button busy={isPending} disabled={!canAsk} onClick={() => mutate()}>
          Measure
        </Button>
      }
    >
      {others.error && <ProblemNote error={others.error} />}
      {error && <ProblemNote error={error} />}
      <p role="status">
        {data === undefined
          ? "Asks both for one row in turns, and tells how long each takes from here."
          : `The student answers in ${ms(data.student)}, the teacher in ${ms(data.teacher)}: medians of ${TIMES} requests each, as seen from this page, the way to the service included.`}
      </p>
    </Card>
  );
}

const ms = (value: number): string => `${figure(Number(value.toPrecision(2)))} ms`;

interface Question {
  readonly model: string;
  readonly row: Readonly<Record<string, unknown>>;
}

async function inTurns(student: Question, teacher: Question): Promise<Measured> {
  const times = { student: [] as number[], teacher: [] as number[] };
  for (let turn = 0; turn < WARMING + TIMES; turn++) {
    const first = await timed(student);
    const second = await timed(teacher);
    if (turn < WARMING) continue;
    times.student.push(first);
    times.teacher.push(second);
  }
  return { student: medianOf(times.student), teacher: medianOf(times.teacher) };
}

async function timed({ model, row }: Question): Promise<number> {
  const begun = performance.now();
  await ask(`/v1/models/${model}/predict`, { method: "POST", body: { instances: [row] } });
  return performance.now() - begun;
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
