import { beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { runHere, writtenFile } from "./run-paycast.ts";

const directory = temporaryFolder("without-a-stack");
beforeEach(() => {
  vi.stubEnv("PAYCAST_DIRECTORY", directory);
  vi.stubEnv("PAYCAST_STACK", "");
});

const file = writtenFile("x");

test.each([
  ["keys set shop-1", "have the files of the keys, such as --callback-keys FILE."],
  [
    `keys set shop-1 --callback-keys ${file} --aes-key ${file}`,
    "have no options for single parts beside --callback-keys and --request-keys",
  ],
  ["keys revoke shop-1", "say which version: --previous, --version ID, or --current."],
  ["keys revoke shop-1 --previous --current", "say which version:"],
  ["keys revoke shop-1 --current", "have the files of the new keys with --current"],
  [`keys revoke shop-1 --previous --aes-key ${file}`, "have no files of keys without --current."],
  ["keys revoke shop-1 --previous --force", "have no --force and no --unproven without --current."],
  ["keys revoke shop-1 --version 1234 --unproven", "have no --force and no --unproven"],
  ["attention redrive", "have ids, a filter such as --reason, or --all."],
  ["attention dismiss --yes", "have ids, a filter such as --reason, or --all."],
  ["dead-letters redrive fulfilment", "have either message ids, or --all."],
  ["dead-letters redrive fulfilment 0c1f --all", "have either message ids, or --all."],
  ["replay --to analytics", "say which events: --order, --payment,"],
  ["replay --to analytics --without-refunds", "say which events:"],
  ["replay --to analytics --event x", "say where to look for an event: add --order,"],
  ["replay --to analytics --since 1h --until 2h", "have a time range that starts before it ends"],
  ["attention redrive --since 1h --until 2h", "have a time range that starts before it ends."],
  ["attention dismiss --since 1h --until 2h", "have a time range that starts before it ends."],
])("%s is wrong usage, before a stack is looked for", async (line, message) => {
  expect(await runHere(line.split(" "))).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The command must ${message}`),
  });
});
