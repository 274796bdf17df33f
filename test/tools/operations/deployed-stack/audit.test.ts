import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import type { STSClient } from "@aws-sdk/client-sts";
import { expect, test } from "vitest";
import { deployedAudit } from "../../../../tools/operations/deployed-stack/deployed-audit.ts";
import { localAudit } from "../../../../tools/operations/local-stack/local-audit.ts";
import type { Audit } from "../../../../tools/operations/ports/audit.ts";

const range = { sinceMilliseconds: 0, most: 3 };

test("a long audit log of the local stack is read from its first line", async () => {
  const directory = mkdtempSync(join(tmpdir(), "paycast-tests-"));
  const audit = localAudit(directory, Date.now);
  expect(await audit.read(range)).toEqual({ lines: [], isWhole: true });
  const later = Array.from({ length: 3_000 }, (_item, index) => `${index} ${"x".repeat(100)}`);
  writeFileSync(join(directory, "audit.log"), ["first", ...later].join("\n"));
  expect(await audit.read(range)).toEqual({ lines: ["first", ...later], isWhole: true });
});

/** A log group with so many pages, each with this line. */
function groupOf(pages: number, line = "line"): Audit {
  const send = async ({ input: { nextToken = "1" } }: { input: { nextToken?: string } }) => {
    const next = Number(nextToken) + 1;
    const events = line === "" ? [] : [{ message: line }];
    return { events, ...(next <= pages && { nextToken: String(next) }) };
  };
  const cloudWatchLogs = { send } as unknown as CloudWatchLogsClient;
  return deployedAudit({ cloudWatchLogs, sts: {} as STSClient }, "audit");
}

test.each<[what: string, audit: Audit, lines: number, isWhole: boolean]>([
  ["one page", groupOf(1), 1, true],
  ["as many lines as are wanted", groupOf(3), 3, true],
  ["more lines than are wanted", groupOf(4), 3, false],
  ["five empty pages", groupOf(5, ""), 0, true],
  ["more empty pages than are read", groupOf(6, ""), 0, false],
])("a log group with %s says whether everything was read", async (_what, audit, lines, isWhole) => {
  const read = await audit.read(range);
  expect({ lines: read.lines.length, isWhole: read.isWhole }).toEqual({ lines, isWhole });
});
