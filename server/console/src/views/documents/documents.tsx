/** Documents, the questions that are asked of them, and the tables that are read out of them. */

import { Route, Routes } from "react-router";
import { NotFound } from "../../ui/not-found.tsx";
import { ExtractionList } from "./extractions/extraction-list.tsx";
import { ExtractionPage } from "./extractions/extraction-page.tsx";
import { DocumentList } from "./library/document-list.tsx";
import { Induce } from "./schemas/induce.tsx";
import { SchemaList } from "./schemas/schema-list.tsx";
import { SchemaPage } from "./schemas/schema-page.tsx";
import { DocumentPage } from "./viewer/document-page.tsx";
import "./documents.css";

export default function Documents() {
  return (
    <Routes>
      <Route index element={<DocumentList />} />
      <Route path="schemas" element={<SchemaList />} />
      <Route path="schemas/:modelId" element={<SchemaPage />} />
      <Route path="induce" element={<Induce />} />
      <Route path="extractions" element={<ExtractionList />} />
      <Route path="extractions/:jobId" element={<ExtractionPage />} />
      <Route path=":documentId" element={<DocumentPage />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
