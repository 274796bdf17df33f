import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, read, recall } from "./api.ts";
import { onChange } from "./live.ts";

/** What a view knows: nothing yet, data, or a problem, perhaps beside data of before. */
export interface View<T> {
  readonly data: T | undefined;
  readonly problem: ApiError | undefined;
  /** Looks again now. */
  readonly refresh: () => void;
}

interface Options {
  /** False for what costs too much to read again at every change. */
  readonly isLive?: boolean;
}

/** Reads a path of the API, and again whenever something has changed. */
export function useView<T>(path: string, { isLive = true }: Options = {}): View<T> {
  const [state, setState] = useState<Known<T>>(() => known<T>(path));
  const reading = useRef<Reading | undefined>(undefined);
  const refresh = useCallback(() => look(path, reading, setState), [path]);
  useEffect(() => {
    refresh();
    const end = isLive ? onChange(refresh) : undefined;
    return () => {
      end?.();
      reading.current?.abort.abort();
      reading.current = undefined;
    };
  }, [refresh, isLive]);
  // What was read for another path is never shown.
  const { data, problem } = state.path === path ? state : known<T>(path);
  return { data, problem, refresh };
}

function known<T>(path: string): Known<T> {
  return { path, data: recall<T>(path) };
}

interface Known<T> {
  readonly path: string;
  readonly data?: T | undefined;
  readonly problem?: ApiError | undefined;
}

interface Reading {
  readonly abort: AbortController;
  /** Something changed while it was read: read once more. */
  isStale: boolean;
}

/** One request at a time: changes that come meanwhile are read together afterwards. */
function look<T>(
  path: string,
  reading: { current: Reading | undefined },
  setState: (update: (before: Known<T>) => Known<T>) => void,
): void {
  if (reading.current !== undefined) {
    reading.current.isStale = true;
    return;
  }
  const own: Reading = { abort: new AbortController(), isStale: false };
  reading.current = own;
  read<T>(path, own.abort.signal)
    .then(
      (data) => setState(() => ({ path, data })),
      (error: unknown) => {
        if (own.abort.signal.aborted) return;
        const problem = asApiError(error);
        setState((before) => ({
          path,
          data: before.path === path ? before.data : recall<T>(path),
          problem,
        }));
      },
    )
    .finally(() => {
      if (reading.current !== own) return;
      reading.current = undefined;
      if (own.isStale) look(path, reading, setState);
    });
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("console-failed", String(error));
}
