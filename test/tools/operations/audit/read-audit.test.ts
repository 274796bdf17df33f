import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAudit } from "../../../../tools/operations/audit/read-audit.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";

const range = { sinceMilliseconds: 0, most: 3 };

test("a long audit log of the local stack is read from its first line", async () => {
  const auditLog = join(mkdtempSync(join(tmpdir(), "paycast-tests-")), "audit.log");
  const target = { kind: "local", auditLog } as Target;
  expect(await readAudit(target, range)).toEqual({ lines: [], isWhole: true });
  const later = Array.from({ length: 3_000 }, (_item, index) => `${index} ${"x".repeat(100)}`);
  writeFileSync(auditLog, ["first", ...later].join("\n"));
  expect(await readAudit(target, range)).toEqual({ lines: ["first", ...later], isWhole: true });
});

/** A log group with so many pages, each with this line. */
function groupOf(pages: number, line = "line") {
  const send = async ({ input: { nextToken = "1" } }: { input: { nextToken?: string } }) => {
    const next = Number(nextToken) + 1;
    const events = line === "" ? [] : [{ message: line }];
    return { events, ...(next <= pages && { nextToken: String(next) }) };
  };
  const clients = { cloudWatchLogs: { send } };
  return { kind: "deployed", auditLog: "audit", clients } as unknown as Target;
}

test.each<[what: string, target: Target, lines: number, isWhole: boolean]>([
  ["one page", groupOf(1), 1, true],
  ["as many lines as are wanted", groupOf(3), 3, true],
  ["more lines than are wanted", groupOf(4), 3, false],
  ["five empty pages", groupOf(5, ""), 0, true],
  ["more empty pages than are read", groupOf(6, ""), 0, false],
])(
  "a log group with %s says whether everything was read",
  async (_what, target, lines, isWhole) => {
    const read = await readAudit(target, range);
    expect({ lines: read.lines.length, isWhole: read.isWhole }).toEqual({ lines, isWhole });
  },
);
