import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Word } from "../../../../shared/glossary.ts";
import type { FormInput } from "../../../operations/described/command-line.ts";
import type { PlannedView } from "../../server/described-routes.ts";
import { ApiError, send } from "../api.ts";
import { lookNow } from "../live-updates.ts";
import { useAction, useStack } from "../use-view.ts";
import { Command } from "./command.tsx";
import { Dialog } from "./dialog.tsx";
import { Meaning } from "./meaning.tsx";
import { Report } from "./report.tsx";
import { Problem } from "./states.tsx";

interface ChangeButtonProps {
  readonly label: string;
  /** The glossary word of the label. */
  readonly word?: Word | undefined;
  /** The path of the operation, such as "/api/attention/redrive". */
  readonly path: string;
  readonly input: () => FormInput;
  /** What the input lacks. Shown instead of a preview. */
  readonly fault?: string | undefined;
  readonly isPrimary?: boolean;
  readonly onDone?: (() => void) | undefined;
}

/** A described change: a button on the local stack, the command to copy on a deployed one. */
export function ChangeButton(props: ChangeButtonProps) {
  const { label, word, path, input } = props;
  if (useStack().kind === "local") return <PreviewButton {...props} />;
  return <Command purpose={label.replace(/ …$/, "")} word={word} path={path} input={input()} />;
}

/** Previews the change and applies exactly that preview after confirmation. */
function PreviewButton(props: ChangeButtonProps) {
  const { label, word, path, input, fault, isPrimary = false, onDone } = props;
  const [planned, setPlanned] = useState<PlannedView>();
  const { isBusy, problem, run } = useAction();
  const ask = async () => {
    if (fault !== undefined) throw new ApiError("wrong-usage", fault);
    setPlanned(await send<PlannedView>(`${path}/preview`, input()));
  };
  const carryOut = async ({ preview }: PlannedView) => {
    await send(path, { preview });
    lookNow();
    onDone?.();
  };
  return (
    <span class="explained">
      <button
        type="button"
        class={isPrimary ? "primary" : ""}
        aria-disabled={isBusy}
        onClick={() => run(ask)}
      >
        {isBusy ? "Checking …" : label}
      </button>
      {problem && <Problem error={problem} title="No preview is available." />}
      {planned && (
        <Confirm
          planned={planned}
          onYes={() => carryOut(planned)}
          onClose={() => setPlanned(undefined)}
        />
      )}
      {word && <Meaning of={word} />}
    </span>
  );
}

interface ConfirmProps {
  readonly planned: PlannedView;
  readonly onYes: () => Promise<void>;
  readonly onClose: () => void;
}

/** Shows the preview and asks for confirmation. */
function Confirm({ planned: { title, report, yes }, onYes, onClose }: ConfirmProps) {
  const { isBusy, problem, run } = useAction();
  const accept = () => run(() => onYes().then(onClose));
  return (
    <Dialog title={title} onClose={onClose}>
      {problem && <Problem error={problem} title="The change failed." />}
      <Report report={report} />
      <p class="buttons">
        <button type="button" onClick={onClose}>
          {yes === undefined ? "Close" : "Cancel"}
        </button>
        {yes !== undefined && (
          <button type="button" class="primary" aria-disabled={isBusy} onClick={accept}>
            {yes}
          </button>
        )}
      </p>
    </Dialog>
  );
}

interface ActionButtonProps {
  readonly act: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Names the button's subject where its text alone does not. */
  readonly label?: string | undefined;
  readonly disabled?: boolean;
  /** For a button that is one of several options. */
  readonly isChosen?: boolean;
}

/**
 * A button that acts immediately. It is disabled but keeps the focus while the action runs, and shows an error if it
 * fails.
 */
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
  /** The requested value, until it takes effect. */
  readonly wanted: Value | undefined;
  readonly problem: ApiError | undefined;
  readonly ask: (value: Value, change: () => Promise<unknown>) => void;
}

/** A change is complete when `view`, which shows it, was reloaded after it. */
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
