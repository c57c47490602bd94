/** A student beside its teacher: how true it is, what it costs, and where they say different things. */

import {
  figure,
  percent,
  plural,
  score,
  scoreRangeSpec,
  shortened,
} from "@distillery/engine/charts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { ChartView } from "../../../ui/chart.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { size } from "../../../ui/numbers.ts";
import { Card, Empty } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { type RunReport, type TrainedModel, useCard } from "../queries.ts";
import { WithReport } from "../report/with-report.tsx";
import { Differing } from "./differing.tsx";
import { type Fidelity, fidelityOf } from "./fidelity.ts";
import { OneRow } from "./one-row.tsx";

export function Teacher({ model }: { readonly model: TrainedModel }) {
  const fidelity = fidelityOf(model.card, model.classes, figure);
  if (fidelity === null) {
    return (
      <Empty title="No teacher">
        <p>This model learned from the labels of its data alone.</p>
      </Empty>
    );
  }
  return (
    <WithReport model={model}>
      {(report) => <Beside model={model} fidelity={fidelity} report={report} />}
    </WithReport>
  );
}

interface BesideProps {
  readonly model: TrainedModel;
  readonly fidelity: Fidelity;
  readonly report: RunReport;
}

function Beside({ model, fidelity, report }: BesideProps) {
  const run = useQuery({
    queryKey: ["training-jobs", "one", model.job_id],
    queryFn: ({ signal }) => client.training.get.query({ job_id: model.job_id }, { signal }),
  });
  if (run.data === undefined) {
    return run.error ? <ProblemNote error={run.error} /> : <Loading />;
  }
  const { teacher } = run.data.config;
  const teacherId = teacher && "model_id" in teacher ? teacher.model_id : null;
  return (
    <>
      <Tiles fidelity={fidelity} teacherId={teacherId} />
      <SideBySide model={model} fidelity={fidelity} report={report} />
      {teacherId !== null && <OneRow student={model.id} teacher={teacherId} />}
      <Differing model={model} report={report} apart={fidelity.apart} />
      <Card title="What these figures are of">
        <p className="note">{fidelity.about}</p>
      </Card>
    </>
  );
}

function Tiles({
  fidelity: { teacher, lift, agreement, correlation, difference, rows, augmentedRows },
  teacherId,
}: {
  readonly fidelity: Fidelity;
  readonly teacherId: string | null;
}) {
  return (
    <dl className="tiles">
      <div className="tile">
        <dt>Teacher</dt>
        <dd>
          {teacherId === null ? (
            <Text of={teacher} most={60} />
          ) : (
            <TeacherLink id={teacherId} called={teacher} />
          )}
          <small>also asked about {plural(augmentedRows, "made-up row")}</small>
        </dd>
      </div>
      <div className="tile">
        <dt>Kept of what the teacher adds</dt>
        <dd>
          {lift === null ? "–" : percent(lift.share, 0)}
          <small>
            {lift === null
              ? "the teacher is not surely better than a linear model"
              : `95 % interval ${percent(lift.low, 0)} … ${percent(lift.high, 0)}`}
          </small>
        </dd>
      </div>
      <div className="tile">
        <dt>{agreement === null ? "Correlation with it" : "Says the same class"}</dt>
        <dd>
          {agreement === null ? score(correlation) : percent(agreement)}
          <small>of {plural(rows, "held-out row")}</small>
        </dd>
      </div>
      <div className="tile">
        <dt>Typical difference</dt>
        <dd>
          {score(difference)}
          <small>root mean square{agreement === null ? "" : ", of probabilities"}</small>
        </dd>
      </div>
    </dl>
  );
}

function TeacherLink({ id, called }: { readonly id: string; readonly called: string }) {
  const { data, isPending } = useCard(id);
  return (
    <Link to={`/models/${id}`}>
      <Text of={data?.name ?? (isPending ? "…" : called)} most={60} />
    </Link>
  );
}

function SideBySide({ model, fidelity, report }: BesideProps) {
  const [metric] = report.run.metrics;
  const { scores, teacherBytes } = fidelity;
  const bytes = model.files.reduce((sum, file) => sum + file.bytes, 0);
  const timed = (of: string): number | null => {
    const line = report.distillation?.figures.find(
      ({ name }) => name === `${of}, ms for 1,000 rows`,
    );
    return typeof line?.value === "number" ? line.value : null;
  };
  const times = { student: timed("student"), teacher: timed("teacher") };
  const rows = [
    {
      what: `${metric?.name ?? "Score"}, held out (${metric?.direction === "maximize" ? "higher" : "lower"} is better)`,
      student: score(scores.student),
      teacher: score(scores.teacher),
      linear: score(scores.baseline),
    },
    {
      what: "Size of its files",
      student: size(bytes) + timesOf(teacherBytes, bytes, "smaller"),
      teacher: teacherBytes === null ? "not known" : size(teacherBytes),
      linear: "–",
    },
    {
      what: "Milliseconds for 1,000 rows, as the run asked them",
      student:
        (times.student === null ? "–" : figure(times.student)) +
        timesOf(times.teacher, times.student, "faster"),
      teacher: times.teacher === null ? "–" : figure(times.teacher),
      linear: "–",
    },
  ];
  const ranges = (["student", "teacher", "baseline"] as const).flatMap((of) => {
    const value = scores[of];
    return value === null
      ? []
      : [{ name: of === "baseline" ? "a linear model" : of, value, interval: null }];
  });
  return (
    <Card title="Side by side">
      <DataTable
        caption="Student and teacher"
        items={rows}
        keyOf={({ what }) => what}
        columns={[
          { head: "", cell: ({ what }) => what },
          { head: "Student", cell: ({ student }) => student, isNumber: true },
          { head: "Teacher", cell: ({ teacher }) => teacher, isNumber: true },
          { head: "A linear model", cell: ({ linear }) => linear, isNumber: true },
        ]}
      />
      {ranges.length > 1 && metric && (
        <ChartView
          label={`${metric.name}: ${ranges.map(({ name, value }) => `${name} ${score(value)}`).join(", ")}`}
          chart={scoreRangeSpec(ranges, shortened(metric.name, 40))}
        />
      )}
    </Card>
  );
}

/** ` (3.2 times smaller)`, where both are known. */
const timesOf = (large: number | null, small: number | null, how: string): string =>
  large !== null && small !== null && small > 0 && large > 1.05 * small
    ? ` (${figure(Number((large / small).toPrecision(2)))} times ${how})`
    : "";
