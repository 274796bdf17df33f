import type { Mutant } from "./journal.ts";

/** Reviewed survivors, and why they do not matter. */
export interface Accepted {
  readonly reason: string;
  readonly matches: (mutant: Mutant) => boolean;
}

/** By file: how a survivor begins, as `npm run mutate` prints it ("code => replacement"). */
type Survivors = Readonly<Record<string, readonly string[]>>;

export const listed =
  (survivors: Survivors) =>
  ({ at, code, replacement }: Mutant) => {
    const change = `${code} => ${replacement}`.replace(/\s+/g, " ");
    const [file = ""] = at.replace("shared/", "").split(":");
    return survivors[file]?.some((text) => change.startsWith(text)) === true;
  };
