import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";
import type { View } from "../use-view.ts";

interface ShownProps<T> {
  readonly view: View<T>;
  /** What is being read, for "Reading the orders …". */
  readonly what: string;
  readonly children: (data: T) => ComponentChildren;
}

/** A view in each of its states: loading, broken, or shown, perhaps with a problem above what was read before. */
export function Shown<T>({ view, what, children }: ShownProps<T>) {
  const { data, problem } = view;
  return (
    <>
      {problem && <Problem error={problem} isOld={data !== undefined} onRetry={view.refresh} />}
      {data === undefined && problem === undefined && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}

function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what} …
    </p>
  );
}

interface ProblemProps {
  readonly error: ApiError;
  /** What is shown below was read before. */
  readonly isOld?: boolean;
  /** What the problem means for the user, if nothing was to be read. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

export function Problem({ error, isOld = false, title, onRetry }: ProblemProps) {
  const meaning = title ?? (isOld ? "What you see may be old." : "That could not be read.");
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{meaning}</strong> {error.message}
      </p>
      {onRetry && (
        <button type="button" class="small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
