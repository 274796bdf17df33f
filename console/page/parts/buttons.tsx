import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api.ts";
import { lookNow } from "../live.ts";
import { useAction } from "../use-view.ts";

interface ActionButtonProps {
  readonly act: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Says what the button is about where its text alone does not. */
  readonly label?: string | undefined;
  readonly disabled?: boolean;
  /** For a button that is one choice of several. */
  readonly isChosen?: boolean;
}

/** A button that does something at once, rests meanwhile, and says it if that fails. It keeps the focus while it rests. */
export function ActionButton(props: ActionButtonProps) {
  const { act, children, class: look, label, disabled = false, isChosen } = props;
  const { isBusy, problem, run } = useAction();
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={label}
        aria-pressed={isChosen}
        aria-disabled={isBusy || disabled}
        aria-busy={isBusy}
        onClick={() => disabled || run(act)}
      >
        {children}
      </button>
      <ActionProblem problem={problem} />
    </>
  );
}

export function ActionProblem({ problem }: { readonly problem: ApiError | undefined }) {
  if (problem === undefined) return null;
  return (
    <p class="bad-text action-problem" role="alert">
      {problem.message}
    </p>
  );
}

export interface Switching<Value> {
  /** What was asked for and has not taken effect yet. */
  readonly wanted: Value | undefined;
  readonly problem: ApiError | undefined;
  readonly ask: (value: Value, change: () => Promise<unknown>) => void;
}

/** A change counts as made when `view`, which shows it, was read again after it. */
export function useSwitching<Value>(view: unknown): Switching<Value> {
  const [wanted, setWanted] = useState<Value>();
  const { isBusy, problem, run } = useAction();
  useEffect(() => {
    if (!isBusy) setWanted(undefined);
  }, [view, problem]);
  const ask = (value: Value, change: () => Promise<unknown>) => {
    if (wanted !== undefined) return;
    setWanted(value);
    run(() => change().then(lookNow));
  };
  return { wanted, problem, ask };
}

/** Beside what is switched: that it is on its way, or why it failed. */
export function SwitchState({ wanted, problem }: Omit<Switching<unknown>, "ask">) {
  return (
    <>
      <span class="quiet switching" role="status">
        {wanted !== undefined && "switching …"}
      </span>
      <ActionProblem problem={problem} />
    </>
  );
}
