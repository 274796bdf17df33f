import { createServer } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { explainStartError } from "../../../tools/local/explain-start-error.ts";
import { readLocalOptions } from "../../../tools/local/local-options.ts";
import { startLocal } from "../../../tools/local/start-local.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

const folder = temporaryFolder("refused");
afterEach(() => void vi.unstubAllEnvs());

/** What `npm start` says when it does not start, without a process of its own. */
async function refusal(environment: Record<string, string>): Promise<string | undefined> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const start = async () => {
    const options = readLocalOptions([], { ...process.env, PAYCAST_DIRECTORY: folder });
    if (options !== "help") await startLocal(options, () => undefined);
  };
  return await start().then(() => undefined, explainStartError);
}

test.each([
  [0, "the API"],
  [1, "the payment service"],
  [3, "SQS"],
  [4, "DynamoDB"],
  [5, "Secrets Manager"],
])(
  "a port that is taken (PORT+%i, of %s) is an error that says what needs it and what to do",
  async (above, user) => {
    const port = await freePorts();
    const taken = port + above;
    const other = await listenOnLoopback(createServer(), taken);
    const [problem, advice] = (await refusal({ PORT: String(port) }))?.split("\n") ?? [];
    await other.stop();
    expect(problem).toBe(`Port ${taken} is taken. It is needed for ${user}.`);
    const [, next] = /^To use other ports: PORT=(\d+) npm start$/.exec(advice!) ?? [];
    expect(Number(next) - port).toBeGreaterThan(5);
  },
);

/** The first of six free ports, below those that the system gives to other tests. */
async function freePorts(): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const port = 10_000 + 10 * Math.floor(Math.random() * 2_000);
    const listening = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5].map((above) => listenOnLoopback(createServer(), port + above)),
    );
    const opened = listening.filter((result) => result.status === "fulfilled");
    for (const result of opened) await result.value.stop();
    if (opened.length === listening.length) return port;
  }
  throw new Error("No six free ports in a row were found.");
}

test("the port for DynamoDB may be taken if the user runs a DynamoDB emulator", async () => {
  const port = await freePorts();
  const server = createServer((_request, response) => response.end());
  const other = await listenOnLoopback(server, port + 4);
  const given = { PAYCAST_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
  expect(await refusal({ PORT: String(port), ...given })).toContain("nothing responds there");
  await other.stop();
});

test.each([
  [{ PORT: "many" }, "PORT cannot be many. Use a number from 1 to 65526,"],
  [
    { PORT: "65527" },
    "PORT cannot be 65527. Use a number from 1 to 65526, because the stack uses PORT to PORT+9, or 0 for any free ports.",
  ],
  [
    { PORT: "0", PAYCAST_CLOCK_SPEED: "-1" },
    "PAYCAST_CLOCK_SPEED cannot be -1. Use a number from 0 to 1000000.",
  ],
  [{ PORT: "0", PAYCAST_CONFIG: "no-such.json" }, "no-such.json"],
])("%j is refused", async (environment, sentence) => {
  expect(await refusal(environment)).toContain(sentence);
});

test("the largest PORT leaves room for the ports above it", () => {
  expect(readLocalOptions([], { PORT: "65526" })).toMatchObject({ port: 65_526 });
});
