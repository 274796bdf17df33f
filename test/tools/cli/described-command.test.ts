import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createColours } from "../../../shared/text/terminal-text.ts";
import { commands } from "../../../tools/cli/commands.ts";
import { UsageError } from "../../../tools/cli/frame/command.ts";
import { commandOf } from "../../../tools/cli/frame/described-command.ts";
import { helpOf, optionFields } from "../../../tools/cli/frame/described-help.ts";
import { reportText } from "../../../tools/cli/frame/report-text.ts";
import { targetLine } from "../../../tools/cli/frame/target-command.ts";
import type { Look, Report } from "../../../tools/operations/described/description.ts";
import { timeForms } from "../../../tools/operations/described/fields.ts";
import type { Target } from "../../../tools/operations/ports/target.ts";
import { poured, tea } from "../operations/described/tea-operations.ts";
import { spawnPaycast } from "../operations/spawn-paycast.ts";

const directory = mkdtempSync(join(tmpdir(), "paycast-described-"));
const command = commandOf(tea);

/** A stack of which only the name is needed. */
beforeAll(() => {
  const [url, queue] = ["http://127.0.0.1:1", "http://127.0.0.1:1/q"];
  const keys = { CALLBACK_KEYS: "{}", STAMP_KEY: "stamp", PREVIOUS_KEYS_SECONDS: "1" };
  const environment = { SUBSCRIBERS: "[]", ...keys };
  const description = {
    api: url,
    gateway: url,
    console: url,
    shop: url,
    region: "eu-west-1",
    merchants: [],
    aws: { sqs: url, dynamodb: url, secretsmanager: url },
    queues: { inbox: queue, inboxDeadLetters: queue, subscribers: {} },
    tables: { callbacks: "callbacks", orders: "orders" },
    functions: { "process-callback": { name: "process-callback", environment } },
  };
  writeFileSync(join(directory, "local.json"), JSON.stringify(description));
  process.env["PAYCAST_DIRECTORY"] = directory;
});
beforeEach(() => {
  poured.length = 0;
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(
  args: readonly string[],
  { stop = new AbortController(), stopAt = "never", of = command } = {},
) {
  const out: (string | Uint8Array)[] = [];
  const err: string[] = [];
  const code = await of.run(args, {
    out: (text) => out.push(text),
    outBytes: (bytes) => out.push(bytes),
    err: (text) => {
      err.push(text);
      if (text.startsWith(stopAt)) stop.abort();
    },
    errIsTty: false,
    colours: createColours(false),
    stopped: stop.signal,
  });
  return { code, out: out.length === 1 ? out[0] : out, err: err.join("") };
}

test("the help is made from the description: usage, verbs, each option once, examples and exit codes", () => {
  expect(helpOf(command.group)).toBe(`Usage: npx paycast tea list [options]
       npx paycast tea show ID [options]
       npx paycast tea pour [ID...] [options] [--yes]

All about tea.

  list  The teas that are there.
  show  One tea.
  pour  Pours it. A long promise. A long promise. A long promise. A long promise. A long promise. A
        long promise. A long promise. A long promise. A long promise. A long promise.

Options
  --kind green|black  only this kind (list)
  --made-since TIME   only what was made since then (list)
  --limit N           how many to list, 50 if not given (list)
  --raw               the leaves alone (show)
  --into CUP          where it goes (pour)
  --yes               make the change; without it, only a preview is shown
  --stack NAME        a deployed stack, with your AWS credentials; by default the one in
                      PAYCAST_STACK, otherwise the local stack
  --local             the local stack, even if PAYCAST_STACK is set
  --json              print the result as JSON
  --local-time        show times in the time zone of this machine; otherwise, and in JSON, they are
                      in UTC
  -h, --help          print this

Examples
  npx paycast tea list --kind green

Exit codes: 0 success, 1 negative result, 2 wrong usage or nothing to work on, 3 bug in paycast,
            4 AWS or the payment service rejected the request or failed

TIME is 2026-11-15T09:30:00Z, a date like 2026-11-15 (UTC), or how long ago, like 90m, 3h or 2d.
`);
});

test.each([
  ["call", "call METHOD PATH --body FILE [options] [--yes]"],
  ["replay", "replay --to SUBSCRIBER [options] [--yes]"],
  ["keys", "keys check [MERCHANT]"],
  ["keys", "keys set MERCHANT FILES [options] [--yes]"],
  ["keys", "keys revoke MERCHANT (--previous | --version ID | --current FILES) [options] [--yes]"],
  ["dead-letters", "dead-letters redrive SUBSCRIBER|inbox (ID... | --all) [--yes]"],
  ["env", 'eval "$(npx paycast env)"'],
])("the help of %s shows what must be given: %s", async (name, line) => {
  const { group } = await commands.find((known) => known.name === name)!.load();
  const lines = helpOf(group).split("\n");
  expect(lines.map((candidate) => candidate.replace(/^(Usage:)? +(npx paycast )?/, ""))).toContain(
    line,
  );
});

test("the help of an operation without a summary has no empty part", () => {
  const [{ verb: _verb, ...list }] = tea.operations as [Look];
  const help = helpOf({ ...tea, operations: [{ ...list, summary: "" }] });
  expect(help).toMatch(/\n\nAll about tea\.\n\nOptions\n/);
});

test("a usage names only options that the operation has, and the documents explain TIME", async () => {
  for (const { load } of commands) {
    for (const { requires = "", ...operation } of (await load()).group.operations) {
      const options = optionFields(operation).map(({ option }) => `--${option}`);
      expect(options).toEqual(expect.arrayContaining(requires.match(/--[\w-]+/g) ?? []));
    }
  }
  expect(readFileSync("docs/operating.md", "utf8")).toContain(timeForms);
});

test("a command that does only one thing needs no verb", async () => {
  const [{ verb: _verb, ...list }] = tea.operations as [Look];
  const of = commandOf({ ...tea, operations: [list] });
  expect(helpOf(of.group)).toMatch(
    /^Usage: npx paycast tea \[options\]\n\nAll about tea\.\n\nThe teas that/,
  );
  const { code, out } = await run(["--limit", "7", "--json"], { of });
  expect({ code, asked: JSON.parse(String(out)).asked }).toEqual({ code: 0, asked: { limit: 7 } });
});

describe("a look", () => {
  test("is reported in sentences and aligned columns", async () => {
    const { code, out } = await run(["list"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Two teas\.\n\nid {2}made\n1 {3}2026-11-15T12:00:00Z \(.+ (ago|days)\)\n\nAnd one more\.\n$/,
    );
  });

  test("is reported as values with --json, after the input was read", async () => {
    const args = [
      "list",
      "--kind",
      "green",
      "--limit",
      "7",
      "--made-since",
      "2026-11-15",
      "--json",
    ];
    const { out } = await run(args);
    expect(JSON.parse(String(out))).toEqual({
      asked: { kind: "green", limit: 7, madeSince: "2026-11-15T00:00:00.000Z" },
    });
  });

  test("has names and values, a text that cannot move the cursor, and exact bytes if asked for", async () => {
    const shown = await run(["show", "abcd"]);
    expect(shown.out).toBe("A tea.\n\nid  abcd\n\ngreen\n\ufffd[2Jleaves\n");
    expect((await run(["show", "abcd", "--raw"])).out).toEqual(Buffer.from([0xff]));
  });

  test("whose answer is no has the exit code 1", async () => {
    expect((await run(["show", "cold"])).code).toBe(1);
  });

  const stopped = { code: 1, out: [], err: "Stopped while reading. Nothing was changed.\n" };
  const lookThat = (endsByItself: boolean, ends: Promise<void>, begun: () => void) => {
    const [list] = tea.operations as [Look];
    const look: Look["look"] = async (...given) => {
      begun();
      await ends;
      return await list.look(...given);
    };
    return commandOf({ ...tea, operations: [{ ...list, look, endsByItself }] });
  };

  test("ends at the first Ctrl-C, although it never asks whether it was stopped", async () => {
    const stop = new AbortController();
    const of = lookThat(false, new Promise(() => {}), () => stop.abort());
    expect(await run(["list"], { of, stop })).toEqual(stopped);
  });

  test("that ends by itself tells what it has found", async () => {
    const stop = new AbortController();
    const of = lookThat(true, Promise.resolve(), () => stop.abort());
    expect(await run(["list"], { of, stop })).toMatchObject({ code: 0, err: "" });
  });

  test.each([[["check"]], [["dead-letters", "list", "inbox"]], [["smoke", "--yes"]]])(
    "%j ends at the first Ctrl-C while the stack is being found, and so does a change",
    async (args) => {
      const silent = createServer().listen(0, "127.0.0.1");
      await once(silent, "listening");
      vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
      vi.stubEnv("AWS_REGION", "eu-west-1");
      vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
      const { child, ended } = spawnPaycast(directory, ...args, "--stack", "Paycast");
      await once(silent, "request");
      child.kill("SIGINT");
      expect(await ended).toEqual({ ...stopped, out: Buffer.from("") });
      vi.unstubAllEnvs();
      silent.closeAllConnections();
      silent.close();
    },
  );
});

describe("a change", () => {
  test("is only shown without --yes", async () => {
    const { code, out } = await run(["pour", "abcd", "efgh", "--into", "cup"]);
    expect({ code, out }).toEqual({
      code: 0,
      out: "It would be poured.\n\nIt is hot.\nNothing was changed. To make the change, run the same command with --yes.\n",
    });
    const asJson = await run(["pour", "abcd", "--json"]);
    expect(JSON.parse(String(asJson.out))).toEqual({ done: false, count: 1 });
    expect(poured).toEqual([]);
  });

  test("is done with --yes, and tells what came of it", async () => {
    const { code, out } = await run(["pour", "abcd", "--into", "cup", "--yes"]);
    expect({ code, out }).toEqual({ code: 0, out: "Poured.\n\nEnjoy.\n" });
    expect(poured).toEqual([{ ids: ["abcd"], into: "cup" }]);
    const asJson = await run(["pour", "abcd", "--yes", "--json"]);
    expect(JSON.parse(String(asJson.out))).toEqual({ done: true, cups: 1 });
  });

  test("of nothing says so, also with --yes, and the answer is no", async () => {
    const nothing = { code: 1, out: "There is nothing to pour.\n\nIt is hot.\n" };
    expect(await run(["pour"])).toMatchObject(nothing);
    expect(await run(["pour", "--yes"])).toMatchObject(nothing);
    expect(poured).toEqual([]);
  });

  test("that was stopped while it looked is not made, whether the look ended or not", async () => {
    expect(await run(["pour", "abcd", "--yes"], { stopAt: "Target:" })).toMatchObject({
      code: 1,
      out: [],
      err: expect.stringMatching(/^Target: .+\nStopped while reading\. Nothing was changed\.\n$/),
    });
    expect(poured).toEqual([]);
  });

  test("that was stopped when its plan was whole is not made either", async () => {
    const stop = new AbortController();
    const operations = tea.operations.map((operation) => {
      if (operation.kind === "look") return operation;
      const plan: typeof operation.plan = async (...given) => {
        const planned = await operation.plan(...given);
        stop.abort();
        return planned;
      };
      return { ...operation, plan };
    });
    const of = commandOf({ ...tea, operations });
    expect(await run(["pour", "abcd", "--yes"], { of, stop })).toMatchObject({ code: 1, out: [] });
    expect(poured).toEqual([]);
  });

  test("names its target without characters that drive the terminal", () => {
    const stack = { kind: "deployed", name: "Pay\u001b[2Jcast", region: "eu" };
    const target = { stack: { ...stack, deployment: { accountId: "1" } } };
    expect(targetLine(target as unknown as Target)).toBe("Target: Pay\ufffd[2Jcast in 1, eu\n");
  });

  describe("on a terminal", () => {
    const cleared = "\r\u001b[K";
    const progress = `${cleared}Looking for the pot`;

    /** What a person sees, in the order in which it is written, after the target's name. */
    async function shown(args: readonly string[], stopAt = "never") {
      const written: string[] = [];
      const stop = new AbortController();
      const write = (text: string) => {
        written.push(text);
        if (text === stopAt) stop.abort();
      };
      const colours = createColours(false);
      const terminal = { out: write, err: write, errIsTty: true, colours, stopped: stop.signal };
      const ended = await command.run(args, terminal).catch(String);
      return [...written.slice(1), ended];
    }

    test("clears its line of progress before its report", async () => {
      expect(await shown(["pour", "abcd", "--yes"])).toEqual([
        progress,
        cleared,
        "Poured.\n\nEnjoy.\n",
        0,
      ]);
    });

    test("clears it before an error", async () => {
      const spilled = await shown(["pour", "abcd", "--into", "floor", "--yes"]);
      expect(spilled).toEqual([progress, cleared, "Error: spilled"]);
    });

    test("clears it when it is stopped", async () => {
      const stopped = expect.stringMatching(/^Stopped while .+\n$/);
      expect(await shown(["pour", "abcd", "--yes"], progress)).toEqual([
        progress,
        cleared,
        stopped,
        1,
      ]);
    });
  });
});

test.each([
  [[], "Choose an operation: list, show, pour."],
  [["brew"], "Choose an operation: list, show, pour."],
  [["show"], "Give ID."],
  [["show", "abc"], "ID must have at least 4 characters."],
  [["list", "stray"], "One argument belongs to no option."],
  [["list", "--cold"], "There is no option --cold."],
  [["list", "--yes"], "There is no option --yes."],
  [["list", "--kind", "red"], '--kind must be one of "green", "black".'],
  [["list", "--limit", "100"], "--limit must be at most 99."],
  [
    ["list", "--limit", "1.5", "--kind", "red"],
    /^--kind must .+; --limit must be a whole number\.$/,
  ],
  [["list", "--made-since", "soon"], /^--made-since must be a time: 2026-11-15T09:30:00Z, /],
])("tea %j is wrong usage, and the message names the option", async (args, message) => {
  const error: unknown = await run(args).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
});

test("a report is painted: tones, the titles of its sections, and lines that begin with a warning", () => {
  const report: Report = {
    lines: ["Not now: it is hot.", "Warning: it is \u001b[2Jcold.", "No Warning: of anything."],
    facts: [["state", { text: "poured", tone: "good" }]],
    sections: [{ title: "green\u001b", facts: [["made", "now"]], lines: ["Problem: no leaves."] }],
    data: {},
    isGood: true,
  };
  expect(reportText(report, { colours: createColours(true), now: Date.now() }).split("\n")).toEqual(
    [
      "\u001b[31mNot now:\u001b[39m it is hot.",
      "\u001b[33mWarning:\u001b[39m it is \ufffd[2Jcold.",
      "No Warning: of anything.",
      "",
      "state  \u001b[32mpoured\u001b[39m",
      "",
      "\u001b[1mgreen\ufffd\u001b[22m",
      "  made  now",
      "\u001b[31mProblem:\u001b[39m no leaves.",
      "",
    ],
  );
});
