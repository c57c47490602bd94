/** What runs have made: compare, understand and choose. */

import { Route, Routes } from "react-router";
import { NotFound } from "../../ui/not-found.tsx";
import { Compare } from "./compare.tsx";
import { Leaderboard } from "./leaderboard.tsx";
import { ModelView } from "./model.tsx";
import "./models.css";

export default function Models() {
  return (
    <Routes>
      <Route index element={<Leaderboard />} />
      <Route path="compare" element={<Compare />} />
      <Route path=":modelId" element={<ModelView />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
