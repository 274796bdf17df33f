import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../api.ts";
import { lookNow } from "../live.ts";

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
    await act().catch((error: unknown) => setProblem(asApiError(error).message));
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

export interface Switching<Value> {
  /** What was asked for and has not taken effect yet. */
  readonly wanted: Value | undefined;
  readonly problem: string | undefined;
  readonly ask: (value: Value, change: () => Promise<unknown>) => void;
}

/** A change counts as made when `view`, which shows it, was read again after it. */
export function useSwitching<Value>(view: unknown): Switching<Value> {
  const [asked, setAsked] = useState<{ readonly value: Value; readonly isDone: boolean }>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => setAsked((now) => (now?.isDone ? undefined : now)), [view]);
  const ask = (value: Value, change: () => Promise<unknown>) => {
    if (asked !== undefined) return;
    setAsked({ value, isDone: false });
    setProblem(undefined);
    change().then(
      () => {
        setAsked({ value, isDone: true });
        lookNow();
      },
      (error: unknown) => {
        setAsked(undefined);
        setProblem(asApiError(error).message);
      },
    );
  };
  return { wanted: asked?.value, problem, ask };
}

/** Beside what is switched: that it is on its way, or why it failed. */
export function SwitchState({ wanted, problem }: Omit<Switching<unknown>, "ask">) {
  return (
    <>
      <span class="quiet switching" role="status">
        {wanted !== undefined && "switching …"}
      </span>
      {problem !== undefined && <ActionProblem message={problem} />}
    </>
  );
}

interface SwitchProps {
  /** A sentence that is true if the switch is on. */
  readonly label: string;
  readonly isOn: boolean;
  readonly view: unknown;
  readonly set: (isOn: boolean) => Promise<unknown>;
}

export function Switch({ label, isOn, view, set }: SwitchProps) {
  const { ask, ...state } = useSwitching<boolean>(view);
  return (
    <div class="buttons">
      <SwitchState {...state} />
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        aria-disabled={state.wanted !== undefined}
        onClick={() => ask(!isOn, () => set(!isOn))}
      >
        {isOn ? "on" : "off"}
      </button>
    </div>
  );
}
