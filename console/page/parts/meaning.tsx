import { useId, useState } from "preact/hooks";
import { type Word, words } from "../../../shared/words.ts";

interface HelpProps {
  readonly about: string;
  readonly text: string;
}

/** A small ? that opens an explanation. The browser closes it on Escape and on a click elsewhere. */
export function Help({ about, text }: HelpProps) {
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
