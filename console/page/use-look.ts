import { useEffect, useRef, useState } from "preact/hooks";
import type { JobsView } from "../routes/console-routes.ts";
import { ApiError, send } from "./api.ts";
import { useView, type View } from "./use-view.ts";

/** A view that is looked at on demand, because a look costs. All pages share the last look. */
export interface LookView<T> extends View<T> {
  readonly isLooking: boolean;
  readonly lookAgain: () => void;
}

/** `lookPath` asks the server for a new look. What longer work has changed is looked at when the work has ended. */
export function useLook<T>(path: string, lookPath: string): LookView<T> {
  const view = useView<T>(path, { isLive: false });
  const [isLooking, setLooking] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  useJobEnd(view.refresh);
  const lookAgain = () => {
    if (isLooking) return;
    setLooking(true);
    send(lookPath)
      .then(
        () => setFailure(undefined),
        (error: unknown) => setFailure(asApiError(error)),
      )
      .finally(() => {
        setLooking(false);
        view.refresh();
      });
  };
  const problem = failure ?? view.problem;
  return { data: view.data, problem, refresh: lookAgain, isLooking, lookAgain };
}

/** Calls back when longer work has ended, no matter who started it. */
function useJobEnd(onEnd: () => void): void {
  const { data } = useView<JobsView>("/api/jobs");
  const ended = data?.jobs.flatMap(({ id, state }) => (state === "running" ? [] : [id])).join();
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (before.current !== undefined && ended !== before.current) onEnd();
    before.current = ended;
  }, [ended, onEnd]);
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("console-failed", String(error));
}
