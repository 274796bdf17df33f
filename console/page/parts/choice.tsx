import { useState } from "preact/hooks";

/** Which rows of a list are chosen, by id. */
export interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (ids: readonly string[], isChosen: boolean) => void;
  readonly clear: () => void;
}

/** Only what is still in the list counts as chosen. */
export function useChoice(ids: readonly string[]): Choice {
  const [all, setAll] = useState<ReadonlySet<string>>(new Set());
  const chosen = new Set(ids.filter((id) => all.has(id)));
  return {
    chosen,
    choose: (some, isChosen) => {
      const next = new Set(chosen);
      for (const id of some) {
        if (isChosen) next.add(id);
        else next.delete(id);
      }
      setAll(next);
    },
    clear: () => setAll(new Set()),
  };
}

interface ChooseProps {
  readonly choice: Choice;
  /** The rows that this box is about: one, or all that are shown. */
  readonly ids: readonly string[];
  readonly label: string;
}

export function Choose({ choice: { chosen, choose }, ids, label }: ChooseProps) {
  const isChosen = ids.length > 0 && ids.every((id) => chosen.has(id));
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={label}
      checked={isChosen}
      onChange={() => choose(ids, !isChosen)}
    />
  );
}
