import { useEffect, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

/** Every keyboard shortcut, as the help lists them. */
const shortcuts: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["/"], "Search. Ctrl+K works even while you type."],
  [["↓", "↑", "Enter"], "Select a search result and open it."],
  [["Esc"], "Leave the search, or close a dialog."],
  [["?"], "Show these shortcuts."],
];

/** Handles a key wherever the focus is. While the user types, only combinations with Ctrl, Meta or Alt count. */
export function useShortcut(isMeant: (event: KeyboardEvent) => boolean, act: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isLetter = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isMeant(event) || (isLetter && isTyping(event.target))) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")
  );
}

/** "?" shows the shortcuts. */
export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcut(
    ({ key }) => key === "?",
    () => setOpen(true),
  );
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      <dl>
        {shortcuts.flatMap(([keys, does]) => [
          <dt key={`${does} keys`}>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <p class="buttons">
        <button type="button" onClick={() => setOpen(false)}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
