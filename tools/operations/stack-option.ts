import { shellWord } from "../../shared/text/shell-word.ts";
import type { Stack } from "./ports/stack.ts";

/** The end of a command that a person copies, so that it runs on the same stack. */
export function stackOption({ kind, name }: Pick<Stack, "kind" | "name">): string {
  return kind === "deployed" ? ` --stack ${shellWord(name)}` : "";
}
