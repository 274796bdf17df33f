import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { createRun } from "../../operations/replay/run.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { runHere, writtenFile } from "./run-paycast.ts";

const directory = temporaryFolder("without-a-stack");
beforeEach(() => {
  vi.stubEnv("PAYCAST_DIRECTORY", directory);
  vi.stubEnv("PAYCAST_STACK", "");
});

test.each([
  [["set", "shop-1"], "must have the files of the keys, such as --callback-keys FILE."],
  [
    ["rotate", "shop-1", "--callback-keys", writtenFile("{}"), "--aes-key", writtenFile("x")],
    "must have no options for single parts beside --callback-keys and --request-keys",
  ],
  [["revoke", "shop-1"], "must say which version: --previous, --version ID, or --current."],
  [["revoke", "shop-1", "--previous", "--current"], "must say which version:"],
  [["revoke", "shop-1", "--current"], "must have the files of the new keys with --current"],
  [
    ["revoke", "shop-1", "--previous", "--aes-key", writtenFile("x")],
    "must have no files of keys without --current.",
  ],
])("keys %j is wrong usage, before a stack is looked for", async (args, message) => {
  expect(await runHere(["keys", ...args])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The command ${message}`),
  });
});

const startedRun = async (run: string, position: number) =>
  await createRun(
    join(directory, "replays"),
    {
      ...{ run, position, startedAt: "2026-11-15T10:10:26.000Z", subscriber: "analytics" },
      target: { kind: "deployed", name: "Paycast", region: "eu-central-1" },
      ...{ queueUrl: "https://sqs/analytics", eventsPerSecond: 50, events: 3 },
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
