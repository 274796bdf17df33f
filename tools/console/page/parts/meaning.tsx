import { useId, useState } from "preact/hooks";
import { flagWords } from "../../../../shared/facts/flag-words.ts";
import { type Word, words } from "../../../../shared/glossary.ts";
import { Badge, type Tone } from "./elements.tsx";

/** A small ? that opens an explanation. The browser closes it on Escape and on a click elsewhere. */
function Help({ about, text }: { readonly about: string; readonly text: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="help"
        popovertarget={id}
        aria-label={`What does “${about}” mean?`}
      />
      <span
        id={id}
        popover="auto"
        class="help-text"
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && (
          <>
            <strong>{about}</strong>: {text}
          </>
        )}
      </span>
    </>
  );
}

/** Explains a word of ours beside it, in the words of the glossary. */
export function Meaning({ of }: { readonly of: Word }) {
  return <Help about={of} text={`${words[of]}.`} />;
}

/** The word of the glossary, if the text is one. */
export function wordOf(text: string): Word | undefined {
  return isWord(text) ? text : undefined;
}

function isWord(text: string): text is Word {
  return Object.hasOwn(words, text);
}

/** Whether somebody should look at it, or only know of it. A flag that is not listed should be looked at. */
const tones: Readonly<Record<string, Tone>> = {
  regressed: "plain",
  duplicatePayment: "bad",
  mismatch: "bad",
  conflict: "bad",
  unresolved: "bad",
  shortenedNumber: "bad",
  unreadableTime: "plain",
  unreadableReason: "plain",
  unreadableAmount: "plain",
};

/** "duplicatePayment" as words. */
export function flagName(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A newer stack may have flags that this page does not know. */
function meaningOf(flag: string): string {
  const known: Readonly<Record<string, { readonly means: string }>> = flagWords;
  return known[flag]?.means ?? "";
}

function FlagBadge({ flag }: { readonly flag: string }) {
  return <Badge tone={tones[flag] ?? "open"}>{flagName(flag)}</Badge>;
}

export function FlagBadges({ flags }: { readonly flags: readonly string[] }) {
  return (
    <>
      {flags.map((flag) => (
        <span key={flag} class="explained">
          <FlagBadge flag={flag} />
          <Help about={flagName(flag)} text={meaningOf(flag)} />
        </span>
      ))}
    </>
  );
}

/** Each flag with what it means. */
export function FlagList({ flags }: { readonly flags: readonly string[] }) {
  if (flags.length === 0) return null;
  return (
    <ul class="flag-list" aria-label="Flags">
      {flags.map((flag) => (
        <li key={flag}>
          <FlagBadge flag={flag} /> <span>{meaningOf(flag)}</span>
        </li>
      ))}
    </ul>
  );
}
