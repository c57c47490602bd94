/** Deletes a dataset, after asking; where models were trained on it, after asking again. */

import { ServiceError } from "@distillery/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToasts } from "../../../ui/toasts.tsx";

interface DeleteDatasetProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function DeleteDataset({ id, name, onClose }: DeleteDatasetProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { done } = useToasts();
  const [isUsed, setIsUsed] = useState(false);
  const remove = async (): Promise<void> => {
    try {
      await client.datasets.delete.mutate({ dataset_id: id, force: isUsed });
    } catch (error) {
      setIsUsed(error instanceof ServiceError && error.status === 409);
      throw error;
    }
    done("The dataset was deleted.");
    navigate("/data");
    queries.removeQueries({ queryKey: ["datasets", id] });
    await queries.invalidateQueries({ queryKey: ["datasets"] });
  };
  return (
    <Confirm
      title="Delete this dataset?"
      action={isUsed ? "Delete it all the same" : "Delete"}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        <strong>
          <Text of={name} />
        </strong>{" "}
        goes with its rows and its profile. This cannot be undone. Models that were trained on it
        stay.
      </p>
    </Confirm>
  );
}
