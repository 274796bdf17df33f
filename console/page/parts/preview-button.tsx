import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, asApiError, send } from "../api.ts";
import { lookNow } from "../live.ts";
import { Problem } from "./states.tsx";

interface PreviewButtonProps<Preview> {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** Where the server says what would be done, and what is asked. */
  readonly previewPath: string;
  readonly body: () => object;
  /** What is missing in the question. It is told in place of a preview. */
  readonly fault?: string | undefined;
  /** Where it is done, by the preview's id. */
  readonly path: string;
  readonly title: string | ((preview: Preview) => string);
  /** The verb of the button that does it; undefined if there is nothing to do. */
  readonly yes: (preview: Preview) => string | undefined;
  readonly children: (preview: Preview) => ComponentChildren;
  readonly onDone?: () => void;
}

type Shown = { readonly preview: string };

/** Asks what would be done, shows it, and does exactly that after a yes. */
export function PreviewButton<Preview extends Shown>(props: PreviewButtonProps<Preview>) {
  const { label, isPrimary = false, title, path, yes, children, onDone } = props;
  const { preview, problem, isAsking, ask, close } = usePreview(props);
  const doIt = async (id: string) => {
    await send(path, { preview: id });
    lookNow();
    onDone?.();
  };
  return (
    <>
      <button
        type="button"
        class={isPrimary ? "primary" : ""}
        aria-disabled={isAsking}
        onClick={ask}
      >
        {isAsking ? "Looking …" : label}
      </button>
      {problem && <Problem error={problem} title="There is no preview." />}
      {preview && (
        <Confirm
          title={typeof title === "string" ? title : title(preview)}
          yes={yes(preview)}
          onYes={() => doIt(preview.preview)}
          onClose={close}
        >
          {children(preview)}
        </Confirm>
      )}
    </>
  );
}

function usePreview<Preview extends Shown>(props: PreviewButtonProps<Preview>) {
  const { previewPath, body, fault } = props;
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const [preview, setPreview] = useState<Preview>();
  const ask = () => {
    if (isAsking) return;
    setProblem(fault === undefined ? undefined : new ApiError("wrong-usage", fault));
    if (fault !== undefined) return;
    setAsking(true);
    send<Preview>(previewPath, body())
      .then(setPreview, (error: unknown) => setProblem(asApiError(error)))
      .finally(() => setAsking(false));
  };
  return { preview, problem, isAsking, ask, close: () => setPreview(undefined) };
}

interface ConfirmProps {
  readonly title: string;
  /** The verb of the button that does it: "Redrive 3 callbacks". Undefined if there is nothing to do. */
  readonly yes: string | undefined;
  readonly children: ComponentChildren;
  readonly onYes: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Shows what would be done, and does it only after a yes. */
function Confirm({ title, yes, children, onYes, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // Otherwise a long dialog would open at its buttons, and its beginning would be out of sight.
    heading.current?.focus();
    // The focus goes back to where it was.
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  const doIt = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await onYes();
      onClose();
    } catch (error) {
      setProblem(asApiError(error));
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
