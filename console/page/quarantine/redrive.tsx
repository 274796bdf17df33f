import type { QuarantinedItem } from "../../../operations/quarantine/quarantined-item.ts";
import type { DiscardPreview, QuarantineRedrivePreview } from "../../routes/quarantine-routes.ts";
import { Outside } from "../parts/outside.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { Badge } from "../parts/small.tsx";
import { kinds, nameOf, reasonText } from "./words.ts";

interface RedriveProps {
  readonly label: string;
  /** Ids, a reason, or nothing for everything. */
  readonly selection: () => object;
  readonly isPrimary?: boolean;
  readonly onDone?: () => void;
}

export function Redrive({ label, selection, isPrimary = false, onDone }: RedriveProps) {
  return (
    <PreviewButton<QuarantineRedrivePreview>
      {...{ label, isPrimary, body: selection }}
      {...(onDone && { onDone })}
      previewPath="/api/quarantine/redrive/preview"
      path="/api/quarantine/redrive"
      title="Redrive from quarantine"
      yes={({ count }) => (count === 0 ? undefined : `Redrive ${count}`)}
    >
      {(preview) => <RedriveText preview={preview} />}
    </PreviewButton>
  );
}

function RedriveText({ preview }: { readonly preview: QuarantineRedrivePreview }) {
  const { count, sample, gone, foreign, hiddenLetters, atLimit } = preview;
  return (
    <>
      <p>
        {count === 0
          ? "There is nothing to redrive."
          : `${messages(count)} would be sent to the inbox again, and processed as if just received. Nothing is published twice.`}
      </p>
      <Sample items={sample} count={count} />
      <LeftOut items={gone}>
        left out: for subscribers that are no longer configured. Discard the dead letters.
      </LeftOut>
      <LeftOut items={foreign}>
        left out: Paycast did not write them and can never process them. Discard them.
      </LeftOut>
      {hiddenLetters > 0 && (
        <p class="quiet">
          About {hiddenLetters} more in the dead letters were not seen:{" "}
          {atLimit
            ? "the look came to its limit of 10,000 letters or four minutes."
            : "they wait behind another message of the same order, or somebody else holds them."}
        </p>
      )}
    </>
  );
}

interface DiscardProps {
  readonly label: string;
  readonly ids: readonly string[];
  readonly onDone?: () => void;
}

export function Discard({ label, ids, onDone }: DiscardProps) {
  return (
    <PreviewButton<DiscardPreview>
      {...{ label, body: () => ({ ids }) }}
      {...(onDone && { onDone })}
      previewPath="/api/quarantine/discard/preview"
      path="/api/quarantine/discard"
      title="Discard dead letters"
      yes={({ count }) => (count === 0 ? undefined : `Discard ${count}`)}
    >
      {({ count, sample, refused, missed }) => (
        <>
          <p>
            {count === 0
              ? "Nothing of it can be discarded."
              : `${count === 1 ? "1 dead letter" : `${count} dead letters`} would be deleted. Records stay.`}
          </p>
          <Sample items={sample} count={count} />
          <LeftOut items={refused}>
            stay: there is no dead letter, or it is the only copy of a callback.
          </LeftOut>
          <LeftOut items={missed}>
            stay: a subscriber still misses the event. Redrive it, or take the subscriber out of the
            config and deploy.
          </LeftOut>
        </>
      )}
    </PreviewButton>
  );
}

function messages(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

interface SampleProps {
  readonly items: readonly QuarantinedItem[];
  readonly count: number;
}

function Sample({ items, count }: SampleProps) {
  if (items.length === 0) return null;
  return (
    <ul class="sample">
      {items.map((item) => (
        <li key={item.id}>
          <Outside text={nameOf(item)} />{" "}
          <Badge tone={kinds[item.kind].tone}>{kinds[item.kind].title}</Badge>{" "}
          <span class="quiet">{reasonText(item)}</span>
        </li>
      ))}
      {count > items.length && <li class="quiet">and {count - items.length} more</li>}
    </ul>
  );
}

interface LeftOutProps {
  readonly items: readonly QuarantinedItem[];
  readonly children: string | readonly string[];
}

function LeftOut({ items, children }: LeftOutProps) {
  if (items.length === 0) return null;
  return (
    <p class="open-text">
      {items.length} {children}
    </p>
  );
}
