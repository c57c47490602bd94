/** What the service stands on, opened, with what its resources add to it. */

import { openServices, type Services } from "./api/services.ts";
import { MODEL_KINDS } from "./kinds.ts";
import type { Config } from "./platform/config.ts";
import type { Logger } from "./platform/log.ts";
import { predictingSql } from "./resources/batch-predictions/in-sql/predicting-sql.ts";
import { datasetTables } from "./resources/datasets/in-sql/dataset-tables.ts";

/** @param role see `openServices` */
export async function openAll(
  config: Config,
  log: Logger,
  role: "server" | "worker",
): Promise<Services> {
  const opened = await openServices(config, log, role);
  const services: Services = {
    ...opened,
    sql: predictingSql(opened.sql, () => services, MODEL_KINDS),
    datasetTables: datasetTables(opened),
  };
  return services;
}
