import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { JobsView, StackView } from "../routes/console-routes.ts";
import { type ApiError, asApiError, onChange, read, recall, send } from "./api.ts";

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

/** Reads a path of the API, and again whenever something has changed. Without a path there is nothing to read. */
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
  // What was read for another path is never shown.
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
  /** Something changed while it was read: read once more. */
  isStale: boolean;
}

/** One request at a time: changes that come meanwhile are read together afterwards. */
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

/** Work that a person has asked for: whether it goes on, and why it failed. It is not begun twice. */
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

/** A view that is looked at on demand, because a look costs. All pages share the last look. */
export interface LookView<T> extends View<T> {
  readonly isLooking: boolean;
}

/** `lookPath` asks the server for a new look. What longer work has changed is looked at when the work has ended. */
export function useLook<T>(path: string, lookPath: string, asked: object): LookView<T> {
  const { data, problem, refresh } = useView<T>(path, { isLive: false });
  const look = useAction();
  useJobEnd(refresh);
  const lookAgain = () => look.run(() => send(lookPath, asked).finally(refresh));
  return { data, problem: look.problem ?? problem, refresh: lookAgain, isLooking: look.isBusy };
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

const Stack = createContext<StackView | undefined>(undefined);

/** Around everything that the page shows of a stack. */
export const StackProvider = Stack.Provider;

/** Which stack the page is about, and what can be done with it. It stays the same while the page is open. */
export function useStack(): StackView {
  const stack = useContext(Stack);
  if (stack === undefined) throw new Error("There is no stack above this component.");
  return stack;
}
