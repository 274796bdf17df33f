import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { commands } from "./commands.ts";
import type { CommandGroup } from "./frame/command.ts";

const path = "docs/operating.md";

/**
 * docs/operating.md with the help of each command between its two marks. People write the rest of the document. Throws
 * `local-marks-missing`.
 */
export async function operatingDocument(): Promise<string> {
  const groups = await Promise.all(commands.map(async ({ load }) => (await load()).group));
  return groups.reduce(fillHelp, readFileSync(path, "utf8"));
}

function fillHelp(text: string, group: CommandGroup): string {
  const [begin, end] = [`<!-- help: ${group.name} -->`, "<!-- end -->"];
  const [before, rest] = text.split(begin);
  const after = rest?.slice(rest.indexOf(end));
  if (before !== undefined && after?.startsWith(end)) {
    return `${before}${begin}\n\n${helpOf(group)}\n\n${after}`;
  }
  const message = `${path} needs the lines ${begin} and ${end}, with the help between them.`;
  throw new PaycastError("local-marks-missing", message);
}

/** Without the options, which `npx paycast help` prints. */
function helpOf({ about, operations }: CommandGroup): string {
  const summaries = operations.map(({ verb, summary }) =>
    verb === undefined ? summary : `- **${verb}**: ${summary}`,
  );
  return [...about, summaries.join("\n")].join("\n\n");
}

async function write(): Promise<void> {
  try {
    writeFileSync(path, await operatingDocument());
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

const isMain = import.meta.url === pathToFileURL(process.argv[1] ?? "").href;
if (isMain) await write();
