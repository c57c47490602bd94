/** The areas, each a file of its own that is loaded when it is first looked at. */

import { type ComponentType, lazy, useEffect, useState } from "react";

class Area {
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  #loaded: ComponentType | null = null;
  readonly #awaited: ComponentType;

  constructor(load: () => Promise<{ readonly default: ComponentType }>) {
    this.load = async () => {
      const file = await load();
      this.#loaded = file.default;
      return file;
    };
    this.#awaited = lazy(this.load);
  }

  /**
   * What is loaded already is there at once: `lazy` alone would show, for a moment, that it waits even then,
   * and React leaves what says so on the screen for 300 ms.
   */
  get view(): ComponentType {
    return this.#loaded ?? this.#awaited;
  }
}

export const HOME = new Area(() => import("./views/home/home.tsx"));

/** By the first part of their addresses. */
export const AREAS: Readonly<Record<string, Area>> = {
  data: new Area(() => import("./views/data/data.tsx")),
  train: new Area(() => import("./views/train/train.tsx")),
  models: new Area(() => import("./views/models/models.tsx")),
  serve: new Area(() => import("./views/serve/serve.tsx")),
  documents: new Area(() => import("./views/documents/documents.tsx")),
  admin: new Area(() => import("./views/admin/admin.tsx")),
};

/** Wants a key of its own: it stays what it was first. */
export function AreaView({ of }: { readonly of: Area }) {
  const [View] = useState<ComponentType>(() => of.view);
  return <View />;
}

/** Begins to load what an address shows, beside all else that a first visit waits for. */
export async function loadArea(pathname: string): Promise<void> {
  const shown = AREAS[pathname.split("/")[1] ?? ""] ?? HOME;
  // Where it cannot be loaded, whoever shows it tries again and says so.
  await shown.load().catch(() => undefined);
}

/** Whether what was begun has come to an end. */
export function useIsLoaded(begun: Promise<void>): boolean {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => void begun.then(() => setLoaded(true)), [begun]);
  return isLoaded;
}
