/** What a job fails with where another try would meet it again; one sentence for who asked for it. */
export class JobFault extends Error {
  override readonly name = "JobFault";
}
