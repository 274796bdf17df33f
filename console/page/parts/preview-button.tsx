import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError, send } from "../api.ts";
import { lookNow } from "../live.ts";
import { asApiError } from "../use-look.ts";
import { Confirm } from "./confirm.tsx";
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
