/** What can be done with a model beside looking at it. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import type { TrainedModel } from "../queries.ts";
import { AliasDialog } from "./alias-dialog.tsx";
import { EvaluateDialog } from "./evaluate-dialog.tsx";
import { NamingDialog } from "./naming-dialog.tsx";

type Action = "naming" | "alias" | "evaluate" | "delete";

export function ModelActions({ model }: { readonly model: TrainedModel }) {
  const mayChange = useScope("models:write");
  const [action, setAction] = useState<Action | null>(null);
  const close = (): void => setAction(null);
  if (!mayChange) return null;
  const isDone = model.status === "completed";
  return (
    <>
      <Button onClick={() => setAction("naming")}>Name and notes</Button>
      {isDone && <Button onClick={() => setAction("alias")}>Alias</Button>}
      {isDone && <Button onClick={() => setAction("evaluate")}>Evaluate</Button>}
      <Button look="danger" onClick={() => setAction("delete")}>
        Delete
      </Button>
      {action === "naming" && <NamingDialog model={model} onClose={close} />}
      {action === "alias" && <AliasDialog model={model} onClose={close} />}
      {action === "evaluate" && <EvaluateDialog models={[model.id]} onClose={close} />}
      {action === "delete" && <DeleteDialog model={model} onClose={close} />}
    </>
  );
}

function DeleteDialog({
  model,
  onClose,
}: {
  readonly model: TrainedModel;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { done } = useToasts();
  const [force, setForce] = useState(false);
  return (
    <Confirm
      title="Delete this model"
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await client.models.delete.mutate({ model_id: model.id, force });
        done("The model is deleted.");
        navigate("/models", { replace: true });
        await queries.invalidateQueries({ queryKey: ["models"] });
      }}
    >
      <p>
        <Text of={model.name} /> and its files go, and cannot be brought back. The run and its
        report stay.
      </p>
      {model.aliases.length > 0 && (
        <label className="check">
          <input
            type="checkbox"
            checked={force}
            onChange={({ target }) => setForce(target.checked)}
          />
          <span>
            Delete {model.aliases.map((alias) => alias.slice(0, 80)).join(", ")} as well, which{" "}
            {model.aliases.length === 1 ? "leads" : "lead"} to it
          </span>
        </label>
      )}
    </Confirm>
  );
}
