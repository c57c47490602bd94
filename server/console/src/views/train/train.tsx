/** Training: the runs there are, one of them, a new one. */

import { Route, Routes } from "react-router";
import { NotFound } from "../../ui/not-found.tsx";
import { NewRun } from "./new/new-run.tsx";
import { RunView } from "./run/run-view.tsx";
import { RunList } from "./run-list.tsx";
import "./train.css";

export default function Train() {
  return (
    <Routes>
      <Route index element={<RunList />} />
      <Route path="new" element={<NewRun />} />
      <Route path="runs/:jobId" element={<RunView />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
