import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { optionDescription } from "../operations/described/input-fields.ts";
import { commands } from "./commands.ts";
import type { CommandGroup, CommandOperation } from "./frame/command.ts";
import { optionsIn, optionText } from "./frame/described-help.ts";

const path = "docs/operating.md";

/**
 * docs/operating.md with a section for each command, made from its description. What the document says before and after
 * these sections stays, and so do the samples of a terminal and the tables under each heading, which only it has.
 */
export async function operatingDocument(): Promise<string> {
  const text = readFileSync(path, "utf8");
  const begin = text.indexOf("\n## ");
  const end = text.indexOf("\n## Permissions\n");
  const kept = keptBlocks(text.slice(begin, end));
  const groups = await Promise.all(commands.map(async ({ load }) => (await load()).group));
  const sections = groups.map((group) => sectionOf(group, kept));
  return `${text.slice(0, begin)}\n${sections.join("\n\n")}\n${text.slice(end)}`;
}

type Kept = ReadonlyMap<string, readonly string[]>;

const optionsHead = "| option | ";

/** The samples and tables by the heading over them. */
function keptBlocks(text: string): Kept {
  const kept = new Map<string, string[]>();
  let heading = "";
  for (const [block] of text.matchAll(/^#+ .*$|^```\n[\s\S]*?^```$|^\|.*(?:\n\|.*)*/gm)) {
    if (block.startsWith("#")) heading = block;
    else if (!block.startsWith(optionsHead)) {
      kept.set(heading, [...(kept.get(heading) ?? []), block]);
    }
  }
  return kept;
}

function sectionOf(group: CommandGroup, kept: Kept): string {
  const { name, about, operations } = group;
  const heading = `## ${name}`;
  const only = operations.length === 1 ? operations[0] : undefined;
  const parts =
    only === undefined
      ? [
          heading,
          ...about,
          ...(kept.get(heading) ?? []),
          ...operations.flatMap((operation) => operationParts(name, operation, kept)),
          ...optionTable(group),
        ]
      : [
          heading,
          ...about,
          only.summary,
          ...blocksOf(only, kept.get(heading)),
          ...optionTable(group),
          ...promisesOf(only),
        ];
  return parts.join("\n\n");
}

function operationParts(name: string, operation: CommandOperation, kept: Kept): string[] {
  const { verb, summary } = operation;
  const heading = `### ${name} ${verb}`;
  const head = verb === undefined ? [] : [heading];
  return [...head, summary, ...blocksOf(operation, kept.get(heading)), ...promisesOf(operation)];
}

/** Without a table that is among the promises. */
function blocksOf({ promises = [] }: CommandOperation, blocks: readonly string[] = []): string[] {
  return blocks.filter((block) => !promises.includes(block));
}

/** A list, with tables and what is not promised outside of it. */
function promisesOf({ promises = [] }: CommandOperation): string[] {
  const isItem = (text: string) => promises.length > 1 && !/\n|^What it /.test(text);
  const parts: string[] = [];
  for (const [index, text] of promises.entries()) {
    const before = promises[index - 1];
    const follows = isItem(text) && before !== undefined && isItem(before);
    if (follows) parts.push(`${parts.pop()}\n- ${text}`);
    else parts.push(isItem(text) ? `- ${text}` : text);
  }
  return parts;
}

function optionTable(group: CommandGroup): string[] {
  const options = optionsIn(group);
  if (options.length === 0) return [];
  const isShared = group.operations.length > 1;
  const head = isShared ? `${optionsHead}of | |\n|---|---|---|` : `${optionsHead}|\n|---|---|`;
  const rows = options.map(({ field, verbs }) => {
    const cells = [`\`${optionText(field)}\``, ...(isShared ? [verbs.join(", ")] : [])];
    return `| ${[...cells, optionDescription(field)].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return [[head, ...rows].join("\n")];
}

const isMain = import.meta.url === pathToFileURL(process.argv[1] ?? "").href;
if (isMain) writeFileSync(path, await operatingDocument());
