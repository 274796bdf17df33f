import { shellWord } from "../../../shared/text/shell-word.ts";
import type { Stack } from "../ports/stack.ts";

/** Names what was changed outside the stack. FILE is the config that the stack was deployed with. */
export function driftCommand({ name }: Stack): string {
  return `npx cdk drift ${shellWord(name)} -c config=FILE`;
}

/** Undoes it. Without the option, CloudFormation does not notice that a resource was deleted or changed. */
export function revertDriftCommand({ name }: Stack): string {
  return `npx cdk deploy ${shellWord(name)} -c config=FILE --revert-drift`;
}
