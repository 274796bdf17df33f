import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../../tools/cli/commands.ts";
import type { ConsoleContext } from "../../../tools/console/console-context.ts";
import { consoleRoutes } from "../../../tools/console/routes/console-routes.ts";

/** Commands whose page reads data of its own. */
const ownPages: Readonly<Record<string, string>> = {
  status: "flow/flow-view.tsx",
  order: "order/order-view.tsx",
  trigger: "order/order-actions.tsx",
};

/** Commands for scripts and other tools, or about a deployment: they have no page. */
const onlyInTerminal = [
  "check",
  "smoke",
  "call",
  "console",
  "env",
  "policy",
  "tail",
  "detect-profile",
];

const folder = "tools/console/page";
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".tsx"),
);
const sources = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
const routes = new Set(consoleRoutes({} as ConsoleContext).map(({ path }) => path));

interface Listed {
  readonly verb?: string | undefined;
  readonly kind: "look" | "change" | "own";
}

/** What a page names: a read, or a change with a button of its own. */
function isNamed(command: string, { verb }: Listed): boolean {
  const parts = [command, ...(verb === undefined ? [] : [verb])];
  const words = parts.map((part) => `"${part}"`).join(", ");
  const ways = [`"/api/${parts.join("/")}"`, `["api", ${words}]`, `operation={[${words}]}`];
  return ways.some((way) => sources.includes(way));
}

/** What a page lacks for an operation. A report offers the other changes of its command. */
function missingFor(command: string, operation: Listed, all: readonly Listed[]): string[] {
  const path = ["/api", command, operation.verb].filter(Boolean).join("/");
  const isOffered =
    operation.kind === "change" &&
    all.some(({ kind, verb }) => kind === "look" && sources.includes(`["${command}", "${verb}"]`));
  return [
    ...(isNamed(command, operation) || isOffered ? [] : [`no page shows ${path}`]),
    ...(operation.kind === "change" || routes.has(path) ? [] : [`no route serves ${path}`]),
  ];
}

test("every operation has a page and its route, or needs none", async () => {
  const missing: string[] = [];
  for (const { name, load } of commands) {
    if (onlyInTerminal.includes(name) || ownPages[name] !== undefined) continue;
    const { operations } = (await load()).group;
    missing.push(...operations.flatMap((operation) => missingFor(name, operation, operations)));
  }
  expect(missing).toEqual([]);
});

test("the pages with data of their own exist, and the lists name no other command", () => {
  for (const page of Object.values(ownPages)) expect(files).toContain(page);
  const known = commands.map(({ name }) => name);
  expect(known).toEqual(expect.arrayContaining([...Object.keys(ownPages), ...onlyInTerminal]));
});
