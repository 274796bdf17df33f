import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { JobsView, StackView } from "../routes/console-routes.ts";
import { type ApiError, asApiError, read, recall, send } from "./api.ts";
import { onChange } from "./live-updates.ts";

/** The state of a view: nothing yet, data, or an error, perhaps with older data. */
export interface View<T> {
  readonly data: T | undefined;
  readonly problem: ApiError | undefined;
  /** Reloads now. */
  readonly refresh: () => void;
}

interface Options {
  /** False if reloading on every change costs too much. */
  readonly isLive?: boolean;
}

/** Reads an API path, and reloads it whenever something changes. Without a path it reads nothing. */
export function useView<T>(path: string | undefined, { isLive = true }: Options = {}): View<T> {
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
  // Never show data of another path.
  const { data, problem } = state.path === path ? state : known<T>(path);
  return { data, problem, refresh };
}

function known<T>(path: string | undefined): Known<T> {
  return { path, data: path === undefined ? undefined : recall<T>(path) };
}

interface Known<T> {
  readonly path: string | undefined;
  readonly data?: T | undefined;
  readonly problem?: ApiError | undefined;
}

interface Reading {
  readonly abort: AbortController;
  /** Something changed during the read: read once more. */
  isStale: boolean;
}

/** One request at a time. Changes during a request lead to one more request. */
function look<T>(
  path: string | undefined,
  reading: { current: Reading | undefined },
  setState: (update: (before: Known<T>) => Known<T>) => void,
): void {
  if (path === undefined) return;
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

/** An action of the user: whether it is running, and why it failed. It does not start twice. */
export function useAction() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const run = (work: () => Promise<unknown>) => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    work().then(
      () => setBusy(false),
      (error: unknown) => {
        setProblem(asApiError(error));
        setBusy(false);
      },
    );
  };
  return { isBusy, problem, run };
}

/** A view that loads on demand, because reading costs. All pages share the last result. */
export interface LookView<T> extends View<T> {
  readonly isLooking: boolean;
}

/** `lookPath` makes the server read again. The view also reloads when a job ends. */
export function useLook<T>(path: string, lookPath: string, asked: object): LookView<T> {
  const { data, problem, refresh } = useView<T>(path, { isLive: false });
  const look = useAction();
  useJobEnd(refresh);
  const lookAgain = () => look.run(() => send(lookPath, asked).finally(refresh));
  return { data, problem: look.problem ?? problem, refresh: lookAgain, isLooking: look.isBusy };
}

/** Calls `onEnd` when a job ends, no matter who started it. */
function useJobEnd(onEnd: () => void): void {
  const { data } = useView<JobsView>("/api/jobs");
  const ended = data?.jobs.flatMap(({ id, state }) => (state === "running" ? [] : [id])).join();
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (before.current !== undefined && ended !== before.current) onEnd();
    before.current = ended;
  }, [ended, onEnd]);
}

const Stack = createContext<StackView | undefined>(undefined);

/** Provides the stack to everything on the page. */
export const StackProvider = Stack.Provider;

/** The stack of this page and what it supports. It does not change while the page is open. */
export function useStack(): StackView {
  const stack = useContext(Stack);
  if (stack === undefined) throw new Error("There is no stack above this component.");
  return stack;
}
