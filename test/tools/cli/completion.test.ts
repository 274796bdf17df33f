import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../../tools/cli/commands.ts";
import { runHere, writtenFile } from "./run-paycast.ts";

const names = commands.map(({ name }) => name);
const scriptFor = async (shell: string) => (await runHere(["completion", shell])).out;

describe("in bash", () => {
  let file: string;
  beforeAll(async () => {
    file = writtenFile(await scriptFor("bash"));
  });

  /** What bash offers when the cursor stands at the end of the last word. */
  const offered = (...words: string[]) => {
    const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paycast; echo "\${COMPREPLY[*]}"`;
    const out = execFileSync("bash", ["-c", script, file, ...words], { encoding: "utf8" });
    return out.trim() === "" ? [] : out.trim().split(" ");
  };

  test("every command is offered, after paycast and after npx paycast", () => {
    expect(offered("paycast", "")).toEqual(["help", ...names]);
    expect(offered("npx", "paycast", "")).toEqual(["help", ...names]);
    expect(offered("npx", "paycast", "qua")).toEqual(["quarantine"]);
    expect(offered("paycast", "help", "ord")).toContain("order");
  });

  test("a command's words and options are offered where they can stand", () => {
    expect(offered("paycast", "keys", "")).toEqual(["check", "set", "rotate", "revoke", "restore"]);
    expect(offered("npx", "paycast", "completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("paycast", "keys", "set", "shop-1", "--aes")).toEqual(["--aes-key"]);
    expect(offered("paycast", "order", "--st")).toEqual(["--stack"]);
    expect(offered("paycast", "order", "--bogus")).toEqual([]);
  });

  test("files are left to the shell, and so is any other command of npx", () => {
    expect(offered("paycast", "keys", "set", "shop-1", "--aes-key", "")).toEqual([]);
    expect(offered("npx", "cdk", "d")).toEqual([]);
    const script = `source "$0"; complete -p paycast npx`;
    const out = execFileSync("bash", ["-c", script, file], { encoding: "utf8" });
    expect(out).toMatch(/^complete -o default -F _paycast paycast\n.* npx\n$/);
  });
});

test("zsh runs the same function, with names that zsh does not use itself", async () => {
  const script = await scriptFor("zsh");
  expect(script).toContain("bashcompinit\n");
  expect(script).toContain(await scriptFor("bash"));
  expect(script).not.toMatch(/\b(words|options|path|status)=/);
});

test("fish gets each command with its summary, its words and its options", async () => {
  const script = await scriptFor("fish");
  for (const { name } of commands) expect(script).toContain(`-f -a ${name} -d '`);
  expect(script).toContain("-d 'an order\\'s timeline: attempts, callbacks, events, refunds'\n");
  expect(script).toContain("-n '__paycast_is 2 keys' -f -a rotate\n");
  expect(script).toContain("-n '__paycast_in order' -l payload\n");
});

test("every option of a command's help is among what is completed", async () => {
  const { commands: table } = JSON.parse((await runHere(["completion", "--json"])).out);
  for (const { name, options } of table) {
    const { out } = await runHere(["help", name]);
    const described = out.match(/^ {2}(-h, )?--[a-z-]+/gm) ?? [];
    expect({ name, count: options.length }).toEqual({ name, count: described.length });
    expect(options).toContain("--help");
  }
});

test("without a shell, or with one that is not known, the shells are named", async () => {
  for (const args of [[], ["powershell"]]) {
    const { code, err } = await runHere(["completion", ...args]);
    expect(err).toContain("Say for which shell: bash, zsh, fish.");
    expect(code).toBe(2);
  }
});
