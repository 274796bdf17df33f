import { counted } from "../../../shared/counted.ts";
import type { ReplayPreview } from "../../routes/replay-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { PreviewButton } from "../parts/preview-button.tsx";
import { addressOf } from "../router.tsx";
import { ReplayText } from "./replay-preview.tsx";

interface ReplayButtonProps {
  readonly label: string;
  /** The subscriber. */
  readonly name: string;
  readonly stack: StackView;
  /** What to send. */
  readonly body: () => object;
  readonly fault?: string | undefined;
}

/** Shows what a replay would send, and sends it after a yes. */
export function ReplayButton({ label, name, stack, body, fault }: ReplayButtonProps) {
  return (
    <PreviewButton<ReplayPreview>
      label={label}
      previewPath={addressOf(["api", "subscribers", name, "replay", "preview"])}
      body={body}
      fault={fault}
      path="/api/replays"
      title={`Replay to ${name}`}
      yes={({ count }) =>
        count === 0 || !stack.canChange ? undefined : `Send ${counted(count, "event")}`
      }
    >
      {(preview) => <ReplayText preview={preview} name={name} />}
    </PreviewButton>
  );
}
