/** What people call a schema: its id where somebody chose it, else what it is for. */

import { shortened } from "../../../ui/text.tsx";

/** What the service makes where nobody chose an id. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST = 80;

interface Named {
  readonly id: string;
  readonly use_case: string;
  readonly skill: string;
}

export function schemaName({ id, use_case, skill }: Named, most = MOST): string {
  if (!UUID.test(id)) return shortened(id, most);
  const purpose = use_case.trim();
  return shortened(purpose === "" ? `Questions by the skill ${skill}` : purpose, most);
}
