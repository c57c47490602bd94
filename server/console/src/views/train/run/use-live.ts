/** What a component shows of a live run, a bounded number of times a second. */

import { useEffect, useState } from "react";
import { LiveRun } from "./live-run.ts";

/** A run that is followed for as long as the component is there. */
export function useLiveRun(jobId: string, isLower: (metric: string) => boolean): LiveRun | null {
  const [live, setLive] = useState<LiveRun | null>(null);
  useEffect(() => {
    const followed = new LiveRun(isLower);
    setLive(followed);
    void followed.follow(jobId);
    return () => followed.close();
  }, [jobId, isLower]);
  return live;
}

/** Renders again after changes, with at least so many milliseconds between. */
export function useChanges(live: LiveRun, everyMs: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      last = performance.now();
      setCount((before) => before + 1);
    };
    const stop = live.subscribe(() => {
      timer ??= setTimeout(show, Math.max(0, last + everyMs - performance.now()));
    });
    show();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [live, everyMs]);
  return count;
}
