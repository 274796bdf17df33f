import { beforeEach, expect, test, vi } from "vitest";
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
