/** A small real table to try the service with: cars judged by six categories, 1,728 rows. */

import address from "../../../../../fixtures/car_evaluation/data.csv?url";
import { client } from "../../api/client.ts";

/** Of the data's source, as its licence asks for. */
export const EXAMPLE_SOURCE = "The example: Car Evaluation, M. Bohanec, UCI, CC BY 4.0.";

/** @returns the id of the dataset that it is registered as */
export async function uploadExample(): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The example table is not there: ${response.status}.`);
  const dataset = await client.uploadDataset(await response.text(), {
    name: "Cars (example)",
    fileName: "cars.csv",
  });
  return dataset.dataset_id;
}
