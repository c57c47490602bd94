/** The members of a training request that name a teacher, and what they must be to each other. */

import { AUGMENTED_PER_ROW, distillSchema, MOST_AUGMENTED_ROWS } from "@distillery/engine";
import { z } from "zod";
import { secret } from "../../../platform/input/schema-view.ts";
import { modelReferenceSchema } from "../../models/model-id.ts";
import { snakeCased } from "../wire-names.ts";

const URL_LIMIT = 2048;
const HEADER_LIMIT = 50;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** RFC 9110 §5.5, of ASCII alone: what every HTTP client sends as it is. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** What the client itself says of the message and the connection. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const headers = z
  .record(z.string(), z.string().max(8192).regex(FIELD_VALUE))
  .superRefine((given, context) => {
    const seen = new Set<string>();
    for (const name of Object.keys(given)) {
      const fault = headerFault(name, seen);
      seen.add(name.toLowerCase());
      if (fault !== null) context.addIssue({ code: "custom", message: fault, path: [name] });
    }
    if (seen.size > HEADER_LIMIT) {
      const message = `${seen.size} headers are more than the ${HEADER_LIMIT} that may be sent`;
      context.addIssue({ code: "custom", message });
    }
  });

function headerFault(name: string, seen: ReadonlySet<string>): string | null {
  if (!TOKEN.test(name)) return "this is no name of an HTTP header";
  if (OWN_HEADERS.has(name.toLowerCase())) {
    return `the header '${name}' is set by the service and cannot be given`;
  }
  return seen.has(name.toLowerCase()) ? `the header '${name}' is given twice` : null;
}

export const teacherFields = {
  teacher_model_id: modelReferenceSchema
    .nullish()
    .describe(
      "Distill from this trained model, by its id or as `name@alias`: its predictions replace the labels that are learned from. It must be of the same task and classes, and the dataset must have the columns that it reads. Not together with teacher_predict_url.",
    ),
  teacher_predict_url: z
    .string()
    .min(1)
    .max(URL_LIMIT)
    // Its query may hold a key, and some write a password into it.
    .meta({ writeOnly: true, format: "uri" })
    .nullish()
    .describe(
      "Distill from an external teacher: its query is kept encrypted until the job ends, and never shown again. Rows are sent by POST in batches as `{samples, feature_names}`; it answers `{predictions: […], classes?: […]}` or a bare list, one entry per sample: a number (the value; for binclass the probability of the second class), or a list of class probabilities in the order of `classes`, else of the sorted labels. For sequences each sample is a whole sequence, and each of its cells is the list of a column's steps. Not together with teacher_model_id.",
    ),
  teacher_headers: secret(headers).nullish().meta({
    description:
      "Headers sent to teacher_predict_url. Their values are kept encrypted until the job ends, and are never shown again.",
  }),
};

const student = snakeCased(distillSchema.shape);

const rows = MOST_AUGMENTED_ROWS.toLocaleString("en-US");

export const distillFields = z
  .strictObject({
    augmented_rows: student.augmented_rows.describe(
      `Rows made by perturbing those of the data, which the teacher labels too. Default: ${AUGMENTED_PER_ROW} for each row, at most ${rows}.`,
    ),
    augmentation: student.augmentation
      .optional()
      .describe(
        "spunge: cells are those of any other row, or jittered (default); munge: cells move towards those of near rows.",
      ),
    swap_probability: student.swap_probability
      .optional()
      .describe(
        `Probability that a cell is perturbed. Default ${student.swap_probability.def.defaultValue}.`,
      ),
    local_variance: student.local_variance
      .optional()
      .describe(
        `How close perturbed numbers stay: larger is closer. Default ${student.local_variance.def.defaultValue}.`,
      ),
    teacher_weight: student.teacher_weight
      .optional()
      .describe(
        `Share of the teacher in the labels of the data's own rows; the rest is the true label. Default ${student.teacher_weight.def.defaultValue}.`,
      ),
  })
  .describe("How the student is taught; only with a teacher.");

interface TeacherMembers {
  readonly distill?: unknown;
  readonly teacher_model_id?: string | null | undefined;
  readonly teacher_predict_url?: string | null | undefined;
  readonly teacher_headers?: Readonly<Record<string, string>> | null | undefined;
}

/** Adds the faults that the members have together. */
export function checkTeacherFields(
  request: TeacherMembers,
  fault: (path: string, message: string) => void,
): void {
  const { teacher_model_id, teacher_predict_url, teacher_headers } = request;
  if (teacher_model_id != null && teacher_predict_url != null) {
    fault("teacher_predict_url", "a run has one teacher: send this or teacher_model_id, not both");
  }
  if (request.distill != null && teacher_model_id == null && teacher_predict_url == null) {
    fault("distill", "there is no teacher: send teacher_model_id or teacher_predict_url");
  }
  if (teacher_predict_url != null) {
    const message = urlFault(teacher_predict_url);
    if (message !== null) fault("teacher_predict_url", message);
  } else if (teacher_headers != null) {
    fault("teacher_headers", "headers are sent to teacher_predict_url, which is not given");
  }
}

/** What can be seen of the URL by itself; it is not repeated, since it may hold a secret. */
function urlFault(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return "it must be an https or http URL, such as https://teacher.example.com/predict";
  }
  if (url.username !== "" || url.password !== "") {
    return "a URL must not contain a user or a password: send them in teacher_headers";
  }
  return url.hash === "" ? null : "it must have no fragment";
}
