/** What other resources may ask of training. */

export { countOpenJobs, countTaughtBy } from "./store.ts";
