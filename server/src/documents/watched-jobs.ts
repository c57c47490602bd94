/** What the jobs of all kinds (`jobs/`) ask of documents. */

export {
  type DocumentJobResult,
  documentJobResult,
  extractionResultSchema,
  inductionResultSchema,
} from "./jobs/result.ts";
export {
  type DocumentJobMessage,
  documentJobMetrics,
  documentJobMetricsSchema,
  followDocumentJob,
} from "./jobs/watch.ts";
