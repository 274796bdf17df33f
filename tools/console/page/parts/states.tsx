import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";
import { Link } from "../router.tsx";
import { type LookView, useStack, type View } from "../use-view.ts";
import { Ago } from "./time.tsx";

interface ShownProps<T> {
  readonly view: View<T>;
  /** What is being read, for "Reading the orders …". */
  readonly what: string;
  /** In place of a problem, if there is no such thing. */
  readonly missing?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** A view in each of its states: loading, broken, or shown, perhaps with a problem above what was read before. */
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
  /** What a look costs, or what it found. */
  readonly children?: ComponentChildren;
}

/** Says how old the look is, and looks again. */
export function LookBar({ view, children }: LookBarProps) {
  const { data, isLooking, refresh } = view;
  return (
    <p class="look-bar quiet">
      <span role="status">
        {isLooking && "Looking …"}
        {!isLooking && data?.lookedAt !== undefined && (
          <>
            Looked <Ago at={data.lookedAt} />.
          </>
        )}
      </span>
      <span>{children}</span>
      <button type="button" class="small push" aria-disabled={isLooking} onClick={refresh}>
        Look again
      </button>
    </p>
  );
}

interface LimitedProps {
  /** What the list is limited to. */
  readonly children: ComponentChildren;
  /** The button that ends it. */
  readonly end: string;
  readonly onEnd: () => void;
}

/** Above a list that shows a part only. */
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

/** Above the commands that stand in place of buttons on a deployed stack. */
export function ReadOnly() {
  if (useStack().kind === "local") return null;
  return (
    <p class="quiet">
      This console only reads. Copy the command: it shows first what it would do, and does it with{" "}
      <code>--yes</code>.
    </p>
  );
}

/** What can be done. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <ReadOnly />
      <div class="buttons actions">{children}</div>
    </>
  );
}

/** On the local stack: how to bring something into an empty list. */
export function InLab({ children }: { readonly children: ComponentChildren }) {
  if (!useStack().hasLab) return null;
  return (
    <p>
      {children} <Link to="/lab">Go to the Lab</Link>
    </p>
  );
}
