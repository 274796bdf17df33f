import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api.ts";

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
  const { act, children, class: look, label, disabled, isChosen } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isResting = isBusy || disabled === true;
  const run = async () => {
    if (isResting) return;
    setBusy(true);
    setProblem(undefined);
    await act().catch((error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={label}
        aria-pressed={isChosen}
        aria-disabled={isResting}
        aria-busy={isBusy}
        onClick={() => void run()}
      >
        {children}
      </button>
      {problem !== undefined && <ActionProblem message={problem} />}
    </>
  );
}

export function ActionProblem({ message }: { readonly message: string }) {
  return (
    <p class="bad-text action-problem" role="alert">
      {message}
    </p>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : String(error);
}
