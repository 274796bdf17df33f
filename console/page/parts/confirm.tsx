import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.ts";
import { Problem } from "./states.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The verb of the button that does it: "Redrive 3 callbacks". Undefined if there is nothing to do. */
  readonly yes: string | undefined;
  readonly children: ComponentChildren;
  readonly onYes: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Shows what would be done, and does it only after a yes. */
export function Confirm({ title, yes, children, onYes, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // Otherwise a long dialog would open at its buttons, and its beginning would be out of sight.
    heading.current?.focus();
    // The keyboard goes on where it was.
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  const doIt = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await onYes();
      onClose();
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError("console-failed", String(error)));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {problem && <Problem error={problem} title="It was not done." />}
      <div class="dialog-body">{children}</div>
      <p class="buttons">
        <button type="button" onClick={onClose}>
          {yes === undefined ? "Close" : "Cancel"}
        </button>
        {yes !== undefined && (
          <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void doIt()}>
            {yes}
          </button>
        )}
      </p>
    </dialog>
  );
}
