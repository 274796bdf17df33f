import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { commands } from "../../../tools/cli/commands.ts";
import { frameIn } from "../../../tools/cli/frame/described-help.ts";
import { localAccountId, localRegion } from "../../../tools/local/aws/local-account.ts";
import { useSubscriberSetup } from "../operations/dead-letters/subscriber-setup.ts";
import { stackName, useDeployedStack } from "../operations/deployed-stack.ts";
import { callbackFile } from "../operations/keys/key-setup.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { runHere, writtenFile } from "./run-paycast.ts";

const operated = useOperatedStack();
const { paycast } = operated;
useDeployedStack(operated);
const setup = useSubscriberSetup(operated);
afterEach(() => void vi.stubEnv("PAYCAST_STACK", ""));

const onAws = `Target: ${stackName} in ${localAccountId}, ${localRegion}\n`;
const onLocal = "Target: the local stack\n";
const keysSet = () => ["keys", "set", "shop-1", "--callback-keys", callbackFile()];
const changing: readonly (readonly [string, () => string[]])[] = [
  ["attention redrive", () => ["attention", "redrive", "--all"]],
  ["attention dismiss", () => ["attention", "dismiss", "0123"]],
  ["dead-letters redrive", () => ["dead-letters", "redrive", "fulfilment", "--all"]],
  ["replay", () => ["replay", "--to", "fulfilment", "--since", "1h"]],
  ["keys set", keysSet],
  ["keys restore", () => ["keys", "restore", "shop-1"]],
  ["keys revoke", () => ["keys", "revoke", "shop-1", "--previous"]],
  ["smoke", () => ["smoke"]],
  ["call", () => ["call", "service.trade.query", "/x", "--body", writtenFile("{}")]],
];

describe("every command that changes something", () => {
  test("is in this list", async () => {
    const groups = await Promise.all(commands.map(async ({ load }) => (await load()).group));
    const names = groups.filter((group) => frameIn(group).includes("yes"));
    expect(new Set(changing.map(([, args]) => args()[0]))).toEqual(
      new Set(names.map(({ name }) => name)),
    );
  });

  test.each(changing)("%s begins with the target it works on", async (_case, args) => {
    expect((await paycast(...args())).err.startsWith(onLocal)).toBe(true);
    expect((await paycast(...args(), "--stack", stackName)).err.startsWith(onAws)).toBe(true);
  });

  test("distinguishes it from its result, which stays JSON for scripts", async () => {
    const { out, err } = await paycast(...keysSet(), "--json", "--stack", stackName);
    expect(err).toBe(onAws);
    expect(JSON.parse(out)).toMatchObject({ act: "set" });
  });

  test("trigger tells that it works on the local stack, whatever PAYCAST_STACK says", async () => {
    vi.stubEnv("PAYCAST_STACK", stackName);
    const { err, code } = await paycast("trigger", "payment.order.confirming");
    expect({ err, code }).toEqual({ err: onLocal, code: 0 });
  });
});

describe("which stack", () => {
  test("--local is the local stack, also while PAYCAST_STACK names another", async () => {
    vi.stubEnv("PAYCAST_STACK", stackName);
    expect((await paycast(...keysSet())).err).toBe(onAws);
    expect((await paycast(...keysSet(), "--local")).err).toBe(onLocal);
    expect((await paycast("console", "--local")).out).toContain("npm start serves the console");
  });

  test("--local and --stack together are wrong usage", async () => {
    expect(await paycast("check", "--local", "--stack", stackName)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Give --stack NAME or --local, not both."),
    });
  });

  test("detect-profile asks the stack that PAYCAST_STACK names, as with --stack", async () => {
    const named = await paycast("detect-profile", "--stack", stackName);
    expect(named.err).toContain("The stack captures no refused callbacks.");
    vi.stubEnv("PAYCAST_STACK", stackName);
    expect(await paycast("detect-profile")).toEqual(named);
    const ofFile = await runHere(["detect-profile", "--callback", writtenFile("{}")]);
    expect(ofFile.err).toContain("Give the AES key with --aes-key FILE.");
  });
});

describe("env", () => {
  test("says in a comment which stack it is about", async () => {
    const { out } = await paycast("env", "--stack", stackName);
    expect(out.split("\n")[0]).toBe(`# ${stackName} in ${localAccountId}, ${localRegion}`);
    expect((await paycast("env")).out.split("\n")[0]).toBe("# the local stack");
  });

  test("has no secret under a name that two merchants share", async () => {
    const path = join(operated.directory, "local.json");
    const before = readFileSync(path, "utf8");
    const description = JSON.parse(before);
    const [first] = description.merchants;
    description.merchants.push(
      { ...first, merchantId: "SHOP_1" },
      { ...first, merchantId: "shop-2" },
    );
    writeFileSync(path, JSON.stringify(description));
    const variables = Object.keys(await operated.paycastJson("env"));
    writeFileSync(path, before);
    expect(variables.filter((name) => name.startsWith("CALLBACK_KEYS_"))).toEqual([
      "CALLBACK_KEYS_SHOP_2",
    ]);
  });

  test("names the region for older SDKs too", async () => {
    const { AWS_REGION, AWS_DEFAULT_REGION } = await operated.paycastJson("env");
    expect({ AWS_REGION, AWS_DEFAULT_REGION }).toEqual({
      AWS_REGION: localRegion,
      AWS_DEFAULT_REGION: localRegion,
    });
  });
});

test("an audit file that cannot be written is reported in a sentence, and nothing is changed", async () => {
  const file = join(operated.directory, "audit.log");
  rmSync(file, { force: true });
  mkdirSync(file);
  await setup.bury("ORDER-1");
  const redriven = await paycast("dead-letters", "redrive", "fulfilment", "--all", "--yes");
  rmSync(file, { recursive: true });
  expect(redriven.code).toBe(2);
  expect(redriven.err).toContain(`The audit line cannot be written to ${file}`);
  expect(redriven.err).not.toMatch(/bug in paycast|\n {4}at /);
  expect(await setup.letterCount()).toEqual({ visible: 1, held: 0 });
});
