import type { Word } from "../../../../shared/glossary.ts";
import { commandLine, type FormInput } from "../../../operations/described/command-line.ts";
import type { OperationForm } from "../../../operations/described/input-fields.ts";
import { useStack } from "../use-view.ts";
import { Copy } from "./elements.tsx";
import { Meaning } from "./meaning.tsx";

/** The operation at this API path, such as "/api/keys/restore". */
export function useOperation(path: string): OperationForm {
  const found = useStack().operations.find((form) => pathOf(form) === path);
  if (found === undefined) throw new Error(`There is no operation at ${path}.`);
  return found;
}

export function pathOf({ command, verb }: Pick<OperationForm, "command" | "verb">): string {
  return ["/api", command, ...(verb === undefined ? [] : [verb])].join("/");
}

interface CommandProps {
  /** What the command does. */
  readonly purpose: string;
  /** The glossary word of the purpose. */
  readonly word?: Word | undefined;
  readonly path: string;
  readonly input: FormInput;
}

/** The complete command for an operation, with a button that copies it. */
export function Command({ purpose, word, path, input }: CommandProps) {
  const { kind, name } = useStack();
  const line = commandLine(useOperation(path), input, kind === "deployed" ? name : undefined);
  return <CopiedCommand purpose={purpose} word={word} line={line} />;
}

interface CopiedCommandProps extends Pick<CommandProps, "purpose" | "word"> {
  readonly line: string;
}

/** The same for a command that has no description. */
export function CopiedCommand({ purpose, word, line }: CopiedCommandProps) {
  return (
    <span class="command-for">
      <span class="quiet">
        {purpose} {word && <Meaning of={word} />}
      </span>
      <span class="command">
        <code>{line}</code>
        <Copy text={line} what={`command: ${purpose}`} />
      </span>
    </span>
  );
}
