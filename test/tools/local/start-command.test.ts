import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { watchOutput } from "../../setup/watch-output.ts";
import { sqsClient } from "./aws/aws-clients.ts";

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = temporaryFolder("start");
});
afterEach(() => {
  const isRunning = child?.exitCode === null && child.signalCode === null;
  if (isRunning) process.kill(-child!.pid!, "SIGKILL");
});

/** As a terminal would run it: in a process group of its own, which Ctrl-C reaches as a whole. */
function run(environment: Record<string, string>, ...flags: string[]) {
  child = spawn("npm", ["start", "--silent", "--", ...flags], {
    env: { ...process.env, PAYCAST_DIRECTORY: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  return watchOutput(child);
}

/** Runs the entry of `npm start` with a few lines of JavaScript before it, which change what it believes of this machine. */
function runOn(machine: string, ...flags: string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(machine)}`;
  child = spawn(process.execPath, ["--import", preload, "tools/local/start.mjs", ...flags], {
    env: { ...process.env, PORT: "0", PAYCAST_DIRECTORY: folder, PATH: "/nowhere" },
  });
  return watchOutput(child);
}

/** Asks for help, so that nothing is started where the version is new enough. */
const runOnNode = (version: string) =>
  runOn(
    `Object.defineProperty(process.versions, "node", { value: "${version}", configurable: true })`,
    "--help",
  );

test.each(["18.20.8", "20.9.0", "20.11.1"])(
  "on Node %s one message says which Node is needed",
  async (version) => {
    const { ended, output } = runOnNode(version);
    expect(await ended).toBe(1);
    expect(output().trim().split("\n")).toEqual([
      `Paycast needs Node 20.12 or later. This is Node ${version}. Install a newer version, for example with: nvm install`,
    ]);
  },
);

test.each(["20.12.0", "22.0.0"])("on Node %s --help shows the options", async (version) => {
  const { ended, output } = runOnNode(version);
  expect(await ended).toBe(0);
  for (const option of ["--keep", "--watch", "--verbose", "--config", "PORT", "NO_COLOR"]) {
    expect(output()).toContain(option);
  }
});

test("before npm ci one message says that it is needed", async () => {
  mkdirSync(join(folder, "tools/local"), { recursive: true });
  for (const file of ["package.json", "tools/local/start.mjs"]) {
    copyFileSync(file, join(folder, file));
  }
  child = spawn(process.execPath, [join(folder, "tools/local/start.mjs")]);
  const { ended, output } = watchOutput(child);
  expect(await ended).toBe(1);
  expect(output()).toBe("Paycast's packages are not installed. Run npm ci first.\n");
});

test("on a platform without a DynamoDB emulator one message says what to do", async () => {
  const { ended, output } = runOn(`Object.defineProperty(process, "platform", {
    get: () => new Error().stack.includes("local/aws/dynamodb") ? "darwin" : "linux",
  })`);
  expect(await ended).toBe(1);
  expect(output()).toMatch(
    /\nNo DynamoDB emulator for darwin-\w+: npm could not download .*\n {2}npm install .*\n.*PAYCAST_DYNAMODB_ENDPOINT.*\n$/,
  );
  expect(output()).not.toContain("    at ");
});

test.each([
  [["--kep"], {}, "--kep"],
  [[], { PAYCAST_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, "nothing responds there"],
])(
  "%j with %j is refused with a message and no stack trace",
  async (flags, environment, sentence) => {
    const { ended, output } = run({ PORT: "0", ...environment }, ...flags);
    expect(await ended).toBe(1);
    expect(output()).toContain(sentence);
    expect(output()).not.toContain("    at ");
  },
);

test("Ctrl-C with --keep writes every message, also where npm passes the signal on a second time", async () => {
  // With bash in between, npm and the terminal both reach the process. With another shell only the terminal may.
  const shell = { npm_config_script_shell: "bash" };
  const { ended, output } = run({ PORT: "0", ...shell }, "--keep");
  await expect.poll(output).toContain("It started in");
  const { aws, queues } = JSON.parse(readFileSync(join(folder, "local.json"), "utf8"));
  const { url } = queues.subscribers.analytics;
  const client = sqsClient(aws.sqs);
  await Promise.all(Array.from({ length: 300 }, (_item, index) => send(client, url, index)));
  client.destroy();
  process.kill(-child!.pid!, "SIGINT");
  await ended;
  const kept = JSON.parse(readFileSync(join(folder, "data/queues.json"), "utf8"));
  expect(output()).toContain("Writing orders, messages and secrets");
  expect(kept[url.split("/").at(-1)].messages).toHaveLength(300);
});

const send = (client: SQSClient, QueueUrl: string, index: number) =>
  client.send(new SendMessageCommand({ QueueUrl, MessageBody: `message ${index}` }));
