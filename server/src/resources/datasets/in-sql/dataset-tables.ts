/** The datasets of an organization as tables of statements. */

import type { Services } from "../../../api/services.ts";
import { notFound } from "../../../platform/input/problem.ts";
import type { DatasetTables } from "../../../query/sql/query.ts";
import { profileSchema } from "../record.ts";
import { findDatasetsByName, findProfile, listDatasetNames } from "../store.ts";
import { DatasetScan } from "./dataset-scan.ts";

/** @param services whose datasets they are */
export function datasetTables(services: Services): DatasetTables {
  const { db } = services;
  return {
    async find(organizationId, names) {
      const rows = await findDatasetsByName(db, organizationId, names);
      return rows.map((dataset) => ({
        table: dataset.asked,
        datasetId: dataset.id,
        hash: dataset.hash,
        open: () => new DatasetScan(services, organizationId, dataset),
        profile: async () => {
          const profile = await findProfile(db, organizationId, dataset.id);
          if (profile === null) throw notFound("dataset");
          const { rows: count, columns, warnings, created_at } = dataset;
          return {
            ...{ rows: count, columns, warnings, computed_at: created_at },
            profile: profileSchema.parse(JSON.parse(profile)),
          };
        },
      }));
    },
    list: (organizationId, limit) => listDatasetNames(db, organizationId, limit),
  };
}
