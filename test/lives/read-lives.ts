/** One step of a life: a verb with words and named values, and what happens while the service works on it. */
export interface Step {
  readonly text: string;
  readonly verb: string;
  readonly words: readonly string[];
  readonly named: Readonly<Record<string, string>>;
  readonly meanwhile: readonly Step[];
}

export interface Life {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The text has a head, then one block a life: a title, and steps, each followed by what the product says after it. */
export function readLives(text: string): { readonly head: string; readonly lives: Life[] } {
  const [head = "", ...blocks] = text.split(/^## /m);
  return { head, lives: blocks.map(readLife) };
}

function readLife(block: string): Life {
  const [title = "", ...lines] = block.split("\n");
  const steps: Step[] = [];
  for (const line of lines) {
    if (line.startsWith("> ")) steps.push(readStep(line.slice(2), []));
    if (!line.startsWith(">> ")) continue;
    const last = steps.pop();
    if (last === undefined) throw new Error(`${title}: nothing happens beside "${line}".`);
    steps.push({ ...last, meanwhile: [...last.meanwhile, readStep(line.slice(3), [])] });
  }
  return { title, steps };
}

function readStep(text: string, meanwhile: readonly Step[]): Step {
  const [verb = "", ...rest] = text.split(" ").filter((word) => word !== "");
  const isNamed = (word: string) => word.includes("=");
  const named = rest.filter(isNamed).map((word) => word.split("=", 2));
  return {
    text,
    verb,
    words: rest.filter((word) => !isNamed(word)),
    named: Object.fromEntries(named),
    meanwhile,
  };
}
