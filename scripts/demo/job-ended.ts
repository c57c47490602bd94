/** How a demo ends early. */

/** A job of the demo ended without what is to be shown next: it failed, or somebody cancelled it in the console. */
export class JobEnded extends Error {}
