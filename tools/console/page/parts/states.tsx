import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";
import { Link } from "../router.tsx";
import { type LookView, useStack, type View } from "../use-view.ts";
import { Ago } from "./time.tsx";

interface ShownProps<T> {
  readonly view: View<T>;
  /** Completes "Loading the orders …". */
  readonly what: string;
  /** Shown if the thing does not exist. */
  readonly missing?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** A view in each of its states: loading, failed, or loaded. A failed refresh shows the error above the old data. */
export function Shown<T>({ view, what, missing, children }: ShownProps<T>) {
  const { data, problem } = view;
  const isMissing = problem?.code === "not-found" || problem?.code === "nothing-stored";
  if (isMissing && missing !== undefined) return missing;
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
      Loading {what} …
    </p>
  );
}

interface ProblemProps {
  readonly error: ApiError;
  /** The data below is from an earlier read. */
  readonly isOld?: boolean;
  /** What the error means for the user. Default: that loading failed. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

export function Problem({ error, isOld = false, title, onRetry }: ProblemProps) {
  const meaning = title ?? (isOld ? "This page may be out of date." : "Loading failed.");
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

interface NotFoundProps extends EmptyProps {
  readonly heading: string;
}

export function NotFound({ heading, ...props }: NotFoundProps) {
  return (
    <>
      <h1>{heading}</h1>
      <Empty {...props} />
    </>
  );
}

interface LookBarProps {
  readonly view: LookView<{ readonly lookedAt: string | undefined }>;
  /** What reading it costs, or what it found. */
  readonly children?: ComponentChildren;
}

/** Shows when the data was read, and a button that reads it again. */
export function LookBar({ view, children }: LookBarProps) {
  const { data, isLooking, refresh } = view;
  return (
    <p class="look-bar quiet">
      <span role="status">
        {isLooking && "Loading …"}
        {!isLooking && data?.lookedAt !== undefined && (
          <>
            Updated <Ago at={data.lookedAt} />.
          </>
        )}
      </span>
      <span>{children}</span>
      <button type="button" class="small push" aria-disabled={isLooking} onClick={refresh}>
        Refresh
      </button>
    </p>
  );
}

interface LimitedProps {
  /** The filter in words. */
  readonly children: ComponentChildren;
  /** The label of the button that clears the filter. */
  readonly end: string;
  readonly onEnd: () => void;
}

/** Shown above a filtered list. */
export function Limited({ children, end, onEnd }: LimitedProps) {
  return (
    <div class="notice plain line">
      <span>{children}</span>
      <button type="button" class="small" onClick={onEnd}>
        {end}
      </button>
    </div>
  );
}

/** Shown above the commands that replace the buttons on a deployed stack. */
export function ReadOnly() {
  if (useStack().kind === "local") return null;
  return (
    <p class="quiet">
      This console is read-only. Copy the command: it shows a preview, and applies the change with{" "}
      <code>--yes</code>.
    </p>
  );
}

/** The actions of a page. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <ReadOnly />
      <div class="buttons actions">{children}</div>
    </>
  );
}

/** On the local stack: how to fill an empty list. */
export function InLab({ children }: { readonly children: ComponentChildren }) {
  if (!useStack().hasLab) return null;
  return (
    <p>
      {children} <Link to="/lab">Go to the Lab</Link>
    </p>
  );
}
