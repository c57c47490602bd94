/** What is predicted, once its label has been read. */

import type { TaskKind } from "./index.ts";
import type { TaskForm } from "./task-type.ts";

/** A task whose label has been read: data, which travels to threads and into models. */
export interface Task extends TaskForm {
  readonly kind: TaskKind;
}
