/** API keys: made, shown once, revoked. */

import type { Outputs } from "@distillery/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../../api/client.ts";
import { useScope, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { Field, faultAt } from "../../ui/field.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toasts.tsx";

type Key = Outputs["apiKeys"]["list"]["api_keys"][number];

const KEYS = ["api-keys"];
type Action = "" | "read" | "write";

export function Keys() {
  const mayChange = useScope("organization:write");
  const { session } = useSession();
  const queries = useQueryClient();
  const { done } = useToasts();
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key | null>(null);
  return (
    <Card
      title="API keys"
      actions={
        mayChange && (
          <Button look="main" onClick={() => setMaking(true)}>
            New key
          </Button>
        )
      }
    >
      <Listing
        queryKey={KEYS}
        caption="API keys"
        page={async (page_token, signal) => {
          const { api_keys: items, next_page_token: next } = await client.apiKeys.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          { head: "Name", cell: ({ name }) => <Text of={name} most={60} /> },
          {
            head: "Begins with",
            cell: ({ prefix }) => (prefix === "" ? "–" : <code>{prefix}…</code>),
          },
          {
            head: "May",
            cell: ({ scopes }) => (scopes.includes("*") ? "everything" : scopes.join(", ")),
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: "Expires",
            cell: ({ expires_at }) => (expires_at === null ? "never" : <Time at={expires_at} />),
          },
          {
            head: "Change",
            cell: (key) =>
              mayChange && (
                <Button look="danger" onClick={() => setRevoked(key)}>
                  Revoke<span className="unseen"> {key.name}</span>
                </Button>
              ),
          },
        ]}
        empty={
          <Empty title="No key">
            <p>Programs and people call the API by keys, each with what it may do.</p>
          </Empty>
        }
      />
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {revoked && (
        <Confirm
          title="Revoke this key?"
          action="Revoke"
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            await client.apiKeys.revoke.mutate({ api_key_id: revoked.id });
            await queries.invalidateQueries({ queryKey: KEYS });
            setRevoked(null);
            done("The key opens nothing any more.");
          }}
        >
          <p>
            Whoever uses <Text of={revoked.name} most={60} /> is refused from now on. A key that was
            revoked does not come back.
          </p>
          {revoked.id === session?.key_id && (
            <p className="warnings">You are signed in by this key: you will be signed out.</p>
          )}
        </Confirm>
      )}
    </Card>
  );
}

function NewKey({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const scopes = useQuery({
    queryKey: ["scopes"],
    queryFn: ({ signal }) => client.scopes.list.query({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // An area a line, by what its writing scope says of it.
  const areas = (scopes.data?.scopes ?? []).flatMap(({ area, action, description }) =>
    area !== null && action === "write" ? [{ area, description }] : [],
  );
  const [isAll, setAll] = useState(false);
  const [actions, setActions] = useState<Readonly<Partial<Record<string, Action>>>>({});
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: (input: { readonly name: string; readonly days: number }) =>
      client.apiKeys.create.mutate({
        name: input.name,
        scopes: isAll
          ? ["*"]
          : areas.flatMap(({ area }) => (actions[area] ? [`${area}:${actions[area]}`] : [])),
        expires_at:
          input.days === 0 ? null : new Date(Date.now() + input.days * 86_400_000).toISOString(),
      }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: KEYS }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    mutate({ name: String(form.get("name")), days: Number(form.get("days")) });
  };
  if (data !== undefined) return <MadeKey value={data.key} name={data.name} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          hint="Who or what will use it, such as nightly-batch."
          fault={faultAt(error, "name")}
        >
          {(control) => <input {...control} name="name" required maxLength={200} />}
        </Field>
        <Field label="Expires" fault={faultAt(error, "expires_at")}>
          {(control) => (
            <select {...control} name="days" defaultValue="90">
              <option value="7">in a week</option>
              <option value="30">in 30 days</option>
              <option value="90">in 90 days</option>
              <option value="365">in a year</option>
              <option value="0">never</option>
            </select>
          )}
        </Field>
        <fieldset>
          <legend>What it may do</legend>
          <label className="check">
            <input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} />
            Everything
          </label>
          {scopes.error && <ProblemNote error={scopes.error} retry={() => void scopes.refetch()} />}
          {!isAll && (
            <div className="form-row">
              {areas.map(({ area, description }) => (
                <Field key={area} label={area} hint={description}>
                  {(control) => (
                    <select
                      {...control}
                      value={actions[area] ?? ""}
                      onChange={({ target }) =>
                        setActions({ ...actions, [area]: target.value as Action })
                      }
                    >
                      <option value="">nothing</option>
                      <option value="read">read</option>
                      <option value="write">read and write</option>
                    </select>
                  )}
                </Field>
              ))}
            </div>
          )}
        </fieldset>
        {error !== null && <ProblemNote error={error} />}
        <div className="actions">
          <Button look="main" type="submit" busy={isPending}>
            Make the key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function MadeKey({
  value,
  name,
  onClose,
}: {
  readonly value: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { done, failed } = useToasts();
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(() => done("Copied."), failed);
  };
  return (
    <Dialog title="The key, shown this once" onClose={onClose}>
      <p>
        Keep it where <Text of={name} most={60} /> finds it. Nobody can show it again; who loses it
        makes another.
      </p>
      <p>
        <code>{value}</code>
      </p>
      <div className="actions">
        <Button look="main" onClick={copy}>
          Copy
        </Button>
        <Button onClick={onClose}>I have it</Button>
      </div>
    </Dialog>
  );
}
