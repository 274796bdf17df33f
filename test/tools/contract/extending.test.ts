import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../../tools/contract/packages/bundles.ts";
import { copyRepository } from "../../proof/copy-repository.ts";

/** What a step adds to a file, behind a text that it has. */
type Addition = readonly [file: string, behind: string, added: string];

/** The first step of each recipe whose second is the compiler, with something invented. */
const firstSteps: Readonly<Record<string, readonly Addition[]>> = {
  "An event type": [
    [
      "shared/facts/event-types.ts",
      'event: "payment.order.failed" },',
      'voided: { stage: "ended", movesMoney: false, event: "payment.order.voided" },',
    ],
  ],
  "A field of an event": [
    ["shared/events/event.ts", "paymentIds: z.array(z.string()),", "shop: z.optional(z.string()),"],
  ],
  "An option of the config": [
    [
      "infra/config/config-schema.ts",
      ".strictObject({",
      'loud: z.boolean().default(true).describe("Loud."),',
    ],
  ],
  "A signed form": [
    ["shared/envelope/profile.ts", '"json-as-sent",', '"sorted-values",'],
    ["tools/simulator/wire/profile.ts", '"json-as-sent", ', '"sorted-values", '],
  ],
};

/** The second step for the event type. */
const secondStep: readonly Addition[] = [
  [
    "tools/contract/documents/events/event-schemas.ts",
    "meanings: Readonly<Record<EventType, string>> = {",
    '"payment.order.voided": "The shop called the payment off.",',
  ],
  [
    "tools/contract/documents/events/event-examples.ts",
    "return {",
    `"payment.order.voided": applied(createdOrder("ORDER-1004", "P-1004"), {
      ...payment("ORDER-1004", 5), type: "payment.order.voided", status: "voided" }).event,`,
  ],
];

const guide = readFileSync(join(root, "docs/extending.md"), "utf8");
const copy = copyRepository("extending");
afterAll(() => rmSync(copy, { recursive: true }));

function add([file, behind, added]: Addition): void {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  expect(text, file).toContain(behind);
  writeFileSync(
    path,
    text.replace(behind, () => `${behind}\n${added}`),
  );
}

/** The files that the compiler finds fault with. */
function compile(...options: readonly string[]): string[] {
  const compiler = "node_modules/typescript/bin/tsc";
  const args = [compiler, "--noEmit", "--pretty", "false", ...options];
  const { stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  const files = [...stdout.matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)].map(
    ([, file = ""]) => file,
  );
  return [...new Set(files)].sort();
}

function writeDocuments() {
  const args = ["--import", "tsx", "tools/contract/documents/write-documents.ts"];
  return spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
}

/** The files that a step of a recipe names after "`npx tsc --noEmit` names". */
function namedIn(recipe: string, words = "`npx tsc --noEmit` names"): string[] {
  const [, section = ""] = guide.split(`\n## ${recipe}\n`);
  const [step = ""] =
    section
      .split("\n## ")[0]
      ?.split(/^\d\. /m)
      .filter((text) => text.startsWith(words)) ?? [];
  return [...step.matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file).sort();
}

/** These use the types that `npm run docs` writes. */
const untilDocsAreWritten = [
  "test/shared/consumer/test-events.test.ts",
  "test/shared/facts/event-types.test.ts",
  "test/tools/operations/replay/recorded-events.ts",
];

describe("the recipes of docs/extending.md", () => {
  const recipes = Object.keys(firstSteps);

  test("name files in their second step", () => {
    for (const recipe of recipes) expect(namedIn(recipe), recipe).not.toEqual([]);
  });

  test("name what the compiler names after the first step, and no other file", () => {
    for (const addition of Object.values(firstSteps).flat()) add(addition);
    const named = recipes.flatMap((recipe) => namedIn(recipe));
    expect(compile()).toEqual([...named, ...untilDocsAreWritten].sort());
  });

  test("write no document before what it needs is there, and name what is missing", () => {
    const before = readFileSync(join(copy, "docs/events.md"), "utf8");
    const { status, stderr } = writeDocuments();
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("OrderSnapshot.shop has no description."),
    });
    expect(readFileSync(join(copy, "docs/events.md"), "utf8")).toBe(before);
  });

  test("write what an event type needs, after which the compiler names the rest", () => {
    add([
      "tools/contract/documents/events/event-notes.ts",
      "OrderSnapshot: {",
      'shop: "The shop.",',
    ]);
    expect(writeDocuments().stderr).toContain("The table row of `payment.order.voided`");
    for (const addition of secondStep) add(addition);
    expect(writeDocuments()).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(join(copy, "docs/events.md"), "utf8")).toContain(
      "\n### payment.order.voided\n\nThe shop called the payment off.\n",
    );
    // Only the package's own files: to compile all takes seconds.
    const project = { extends: "./tsconfig.json", include: ["shared/consumer"] };
    writeFileSync(join(copy, "tsconfig.consumer.json"), JSON.stringify(project));
    const rest = namedIn("An event type", "`npx tsc --noEmit` now names");
    expect(compile("-p", "tsconfig.consumer.json")).toEqual(rest);
  });
});
