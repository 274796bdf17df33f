import { useEffect, useRef, useState } from "preact/hooks";
import type { Found } from "../../../operations/orders/find-anything.ts";
import { read } from "../api.ts";
import { OrderNo, Status } from "../parts/elements.tsx";
import { useShortcut } from "../parts/shortcuts.tsx";
import { addressOf, go } from "../router.tsx";
import { placeOf } from "./find-view.tsx";

/** Debounces typing. */
const pauseMilliseconds = 250;

/** One search field for every kind of number, on every page. Matches appear below it while the user types. */
export function FindBox() {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const choices = useChoices(isOpen ? text.trim() : "");
  const input = useRef<HTMLInputElement>(null);
  useShortcut(isSearchKey, () => input.current?.select());
  const leave = (to: string) => {
    setOpen(false);
    input.current?.blur();
    go(to);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") input.current?.blur();
    if (step === undefined || choices.length === 0) return;
    event.preventDefault();
    setAt((at + step + choices.length + (at < 0 && step < 0 ? 1 : 0)) % choices.length);
  };
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const chosen = choices[at]?.to;
    if (text.trim() !== "") leave(chosen ?? addressOf(["find"], { text: text.trim() }));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> is not supported by all browsers yet.
    <form class="search" role="search" onSubmit={search}>
      <input
        ref={input}
        type="text"
        role="combobox"
        autocomplete="off"
        maxLength={256}
        value={text}
        aria-label="Order number, payment, callback or transaction"
        aria-expanded={choices.length > 0}
        aria-controls="find-choices"
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `find-choice-${at}`}
        placeholder="Order, payment, callback, transaction ( / )"
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <button type="submit">Find</button>
      <Choices choices={choices} at={at} onChoose={leave} />
    </form>
  );
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly at: number;
  readonly onChoose: (to: string) => void;
}

function Choices({ choices, at, onChoose }: ChoicesProps) {
  return (
    <div id="find-choices" role="listbox" aria-label="Matches" hidden={choices.length === 0}>
      {choices.map(({ to, name, status, what }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys.
        <div
          key={to}
          id={`find-choice-${index}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          // The field keeps the focus, so that the list stays open for the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(to)}
        >
          <OrderNo text={name} />
          {status !== undefined && <Status status={status} />}
          <span class="quiet">{what}</span>
        </div>
      ))}
    </div>
  );
}

type Choice = ReturnType<typeof choicesOf>[number];

/** Matches from the indexes. The search page also searches records. */
function useChoices(text: string): readonly Choice[] {
  const [found, setFound] = useState<{ text: string; choices: readonly Choice[] }>();
  useEffect(() => {
    if (text === "") return;
    const leaving = new AbortController();
    const look = () =>
      read<Found>(addressOf(["api", "find"], { text, quick: "yes" }), leaving.signal).then(
        (data) => setFound({ text, choices: choicesOf(data) }),
        // The search page shows the error.
        () => undefined,
      );
    const timer = setTimeout(look, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text]);
  return found?.text === text ? found.choices : [];
}

function choicesOf({ hits, containing }: Found) {
  const exact = hits.flatMap((hit) => {
    const { orderNo, callbackId = "", status, what } = hit;
    const to = placeOf(hit);
    return to === undefined ? [] : [{ to, name: orderNo ?? callbackId, status, what }];
  });
  const others = (containing?.orders ?? []).map(({ orderNo, merchantId, status }) => {
    const to = addressOf(["orders", orderNo], { merchant: merchantId });
    return { to, name: orderNo, status, what: "" };
  });
  return [...exact, ...others];
}

/** "/" and Ctrl-K, as on many pages. */
function isSearchKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "/" || ((ctrlKey || metaKey) && key === "k");
}
