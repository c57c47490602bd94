/** What uses datasets beside open jobs; handed to this room where the service is assembled. */

import type { Sql } from "../../platform/db/database.ts";

export interface DatasetUser {
  /**
   * Asked behind the delete of a dataset that is not forced, in its transaction: whoever begins to use a
   * dataset keeps its row (`keepDataset`), so that one waits for the other.
   *
   * @returns what is said to who would delete it; null = it is not used
   */
  whyKept(sql: Sql, organizationId: string, datasetId: string): Promise<string | null>;
  /** In the transaction that deletes the dataset, forced or not. */
  noteDeleted(sql: Sql, organizationId: string, datasetId: string): Promise<void>;
}
