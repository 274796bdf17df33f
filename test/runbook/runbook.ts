import { readFileSync } from "node:fs";

/** The parts of a section, in their order, with the words that begin them. */
export const parts = {
  means: "**Means.**",
  look: "**Look.**",
  do: "**Do.**",
  over: "**Over when**",
  practise: "**Practise.**",
} as const;

export type Part = keyof typeof parts;

const document = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

/** What stands before the first section. */
export const introduction = document.slice(0, document.indexOf("\n## "));

/** The text of each section by its name. */
export const sections: ReadonlyMap<string, string> = new Map(
  document
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [name = "", ...lines] = text.split("\n");
      return [name, lines.join("\n")];
    }),
);

export function partOf(section: string, part: Part): string {
  const text = sections.get(section) ?? "";
  const names = Object.keys(parts) as Part[];
  const next = names[names.indexOf(part) + 1];
  const from = text.indexOf(parts[part]);
  if (from < 0) throw new Error(`${section} has no part ${parts[part]}`);
  return text.slice(from, next === undefined ? undefined : text.indexOf(parts[next]));
}

/** The blocks of shell commands in a text, without the indentation of a list. */
export function shellBlocks(text: string): readonly string[] {
  const blocks = text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** Each `npx paycast …` of a part in the order of the text, whether in a block or in a sentence. */
export function commandsOf(section: string, part: Part): readonly string[] {
  const found = partOf(section, part).matchAll(/^ *(npx paycast .+)$|`(npx paycast [^`]+)`/gm);
  return [...found].map(([, line, word]) => line ?? word ?? "");
}

/** One step of a practice: a switch of the Lab, or a command, with what it says in the end. */
export interface Step {
  readonly lab?: string | undefined;
  readonly command?: string | undefined;
  readonly says?: string | undefined;
}

/** The steps of a section's last part. */
export function stepsOf(section: string): readonly Step[] {
  const step = /Lab: \*([^*]+)\*|`((?:npx paycast|eval) [^`]+)`(?:[^`]*says\s+`([^`]+)`)?/g;
  const found = partOf(section, "practise").matchAll(step);
  return [...found].map(([, lab, command, says]) => ({ lab, command, says }));
}

/** The sections that a section's last part leads to, in place of steps of its own. */
export function practisedWith(section: string): readonly string[] {
  const links = partOf(section, "practise").matchAll(/\(#([\w-]+)\)/g);
  return [...links].map(([, name = ""]) => name);
}

/** What a switch of the Lab sends to the console. Undefined if the Lab has no such switch. */
export function labRequest(name: string): readonly [path: string, body: object] | undefined {
  const [, subscriber = "", does = ""] =
    /^([\w-]+) (rejects every event|reads|fails on every event)$/.exec(name) ?? [];
  if (does === "rejects every event") return ["queues", { subscriber, isBroken: true }];
  if (does !== "") return ["consumers", { subscriber, mode: does.split(" ")[0] }];
  const [, service] = /^(SQS|DynamoDB) rejects every call$/.exec(name) ?? [];
  if (service !== undefined) return ["outages", { service: service.toLowerCase(), isOn: true }];
  const [, what, value] = /^(fault|create order) ([\w-]+)$/.exec(name) ?? [];
  if (what === "fault") return ["faults", { kind: value }];
  if (what === "create order") return ["orders", { orderNo: value }];
  return name === "Clear all faults" ? ["restore", {}] : undefined;
}
