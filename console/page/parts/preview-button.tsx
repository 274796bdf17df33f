import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiError, send } from "../api.ts";
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
  /** Where it is done, by the preview's id. */
  readonly path: string;
  readonly title: string;
  /** The verb of the button that does it; undefined if there is nothing to do. */
  readonly yes: (preview: Preview) => string | undefined;
  readonly children: (preview: Preview) => ComponentChildren;
  readonly onDone?: () => void;
}

/** Asks what would be done, shows it, and does exactly that after a yes. */
export function PreviewButton<Preview extends { readonly preview: string }>(
  props: PreviewButtonProps<Preview>,
) {
  const { label, isPrimary = false, title, path, yes, children, onDone } = props;
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const [preview, setPreview] = useState<Preview>();
  const ask = () => {
    if (isAsking) return;
    setAsking(true);
    setProblem(undefined);
    send<Preview>(props.previewPath, props.body())
      .then(setPreview, (error: unknown) => setProblem(asApiError(error)))
      .finally(() => setAsking(false));
  };
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
          title={title}
          yes={yes(preview)}
          onYes={() => doIt(preview.preview)}
          onClose={() => setPreview(undefined)}
        >
          {children(preview)}
        </Confirm>
      )}
    </>
  );
}
