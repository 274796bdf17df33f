import { useEffect, useState } from "preact/hooks";
import { lookNow } from "../live.ts";
import { ActionProblem, messageOf } from "./action-button.tsx";

interface Switching<Value> {
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
        setProblem(messageOf(error));
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
