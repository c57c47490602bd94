/** Serving: endpoints in front of models, and batch predictions of whole tables. */

import { Route, Routes } from "react-router";
import { NotFound } from "../../ui/not-found.tsx";
import { BatchJob } from "./batch/batch-job.tsx";
import { BatchList } from "./batch/batch-list.tsx";
import { NewBatch } from "./batch/new-batch.tsx";
import { EndpointPage } from "./endpoint/endpoint-page.tsx";
import { EndpointList } from "./endpoint-list.tsx";
import "./serve.css";

export default function Serve() {
  return (
    <Routes>
      <Route index element={<EndpointList />} />
      <Route path="endpoints/:endpointId" element={<EndpointPage />} />
      <Route path="batch" element={<BatchList />} />
      <Route path="batch/new" element={<NewBatch />} />
      <Route path="batch/:jobId" element={<BatchJob />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
