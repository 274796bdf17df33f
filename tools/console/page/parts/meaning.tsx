import { useId, useState } from "preact/hooks";
import { type Word, words } from "../../../../shared/glossary.ts";

/** A small ? that opens an explanation. The browser closes it on Escape and on a click elsewhere. */
export function Help({ about, text }: { readonly about: string; readonly text: string }) {
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

/** Explains a word with the text of the glossary. */
export function Meaning({ of }: { readonly of: Word }) {
  return <Help about={of} text={`${words[of]}.`} />;
}

/** The glossary word, if the text is one. */
export function wordOf(text: string): Word | undefined {
  return isWord(text) ? text : undefined;
}

function isWord(text: string): text is Word {
  return Object.hasOwn(words, text);
}
