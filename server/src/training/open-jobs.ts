/** What other resources may ask of training. */

export { countOpenJobs } from "./store.ts";
