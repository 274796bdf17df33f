import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { createRun } from "../../../tools/operations/replay/run.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { runHere, writtenFile } from "./run-paycast.ts";

const directory = temporaryFolder("without-a-stack");
beforeEach(() => {
  vi.stubEnv("PAYCAST_DIRECTORY", directory);
  vi.stubEnv("PAYCAST_STACK", "");
});

const file = writtenFile("x");
const run = "20261115-101026-3f9a2c";

test.each([
  ["keys set shop-1", "have the files of the keys, such as --callback-keys FILE."],
  [
    `keys rotate shop-1 --callback-keys ${file} --aes-key ${file}`,
    "have no options for single parts beside --callback-keys and --request-keys",
  ],
  ["keys revoke shop-1", "say which version: --previous, --version ID, or --current."],
  ["keys revoke shop-1 --previous --current", "say which version:"],
  ["keys revoke shop-1 --current", "have the files of the new keys with --current"],
  [`keys revoke shop-1 --previous --aes-key ${file}`, "have no files of keys without --current."],
  ["quarantine redrive", "have ids, a filter such as --reason, or --all."],
  ["quarantine dismiss --yes", "have ids, a filter such as --reason, or --all."],
  ["dead-letters redrive fulfilment", "have either message ids, or --all."],
  ["dead-letters redrive fulfilment 0c1f --all", "have either message ids, or --all."],
  ["replay --all", "say who gets the events: --to SUBSCRIBER."],
  ["replay --to analytics", "say which events: --order, --payment,"],
  ["replay --to analytics --without-refunds", "say which events:"],
  ["replay --to analytics --event x", "say where to look for an event: add --order,"],
  [
    "replay --to analytics --since 1h --until 2h",
    "have a range of time that begins before its end,",
  ],
  ["quarantine redrive --since 1h --until 2h", "have a range of time that begins before its end."],
  ["quarantine dismiss --since 1h --until 2h", "have a range of time that begins before its end."],
  [`replay --resume ${run} --all`, "have --resume alone."],
])("%s is wrong usage, before a stack is looked for", async (line, message) => {
  expect(await runHere(line.split(" "))).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The command must ${message}`),
  });
});

const startedRun = async (run: string, position: number) =>
  await createRun(
    join(directory, "replays"),
    {
      run,
      position,
      startedAt: "2026-11-15T10:10:26.000Z",
      subscriber: "analytics",
      target: { kind: "deployed", name: "Paycast", region: "eu-central-1" },
      queueUrl: "https://sqs/analytics",
      eventsPerSecond: 50,
      events: 3,
      selection: { types: ["*"], withRefunds: true, until: "2026-11-15T10:10:26.000Z" },
      counts: { sent: position, pending: 0, gone: 0, unwanted: 0 },
    },
    [],
  );

test("replay list, and a finished run that is resumed, need no stack; another stack is refused", async () => {
  const [finished, open] = ["20261115-101026-aaaaaa", "20261115-101026-bbbbbb"] as const;
  await startedRun(finished, 3);
  await startedRun(open, 1);
  const listed = await runHere(["replay", "list", "--to", "analytics"]);
  expect(listed).toMatchObject({ code: 0, err: "" });
  expect(listed.out).toMatch(/aaaaaa +Paycast +analytics +3 of 3 +finished$/m);
  expect(listed.out).toMatch(/bbbbbb +Paycast +analytics +1 of 3 +interrupted$/m);
  expect((await runHere(["replay", "list", "--to", "nobody"])).out).toContain("No replay");
  const resumed = await runHere(["replay", "--resume", finished, "--json", "--yes"]);
  expect(resumed).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(resumed.out)).toMatchObject({ done: true, outcome: "finished" });
  for (const other of [["--stack", "Other"], ["--local"]]) {
    expect(await runHere(["replay", "--resume", open, ...other])).toMatchObject({
      code: 2,
      err: expect.stringContaining("The run was started on another stack."),
    });
  }
});
