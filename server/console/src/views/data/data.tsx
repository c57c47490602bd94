/** Tables that models are trained on, queries over them, and where they lie. */

import { Route, Routes } from "react-router";
import { NotFound } from "../../ui/not-found.tsx";
import { CatalogPage } from "./catalog/catalog-page.tsx";
import { ConnectorList } from "./connectors/connector-list.tsx";
import { NewConnector } from "./connectors/new-connector.tsx";
import { DatasetList } from "./datasets/dataset-list.tsx";
import { DatasetPage } from "./datasets/dataset-page.tsx";
import { SqlPage } from "./sql/sql-page.tsx";
import { UploadPage } from "./upload/upload-page.tsx";
import "./data.css";

export default function Data() {
  return (
    <Routes>
      <Route index element={<DatasetList />} />
      <Route path="upload" element={<UploadPage />} />
      <Route path="datasets/:id" element={<DatasetPage />} />
      <Route path="sql" element={<SqlPage />} />
      <Route path="catalog/:catalog?/:schema?/:table?" element={<CatalogPage />} />
      <Route path="connectors" element={<ConnectorList />} />
      <Route path="connectors/new" element={<NewConnector />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
