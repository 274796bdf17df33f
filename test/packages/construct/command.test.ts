import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { commands } from "../../../tools/cli/commands.ts";
import { stackName, useDeployedStack } from "../../tools/operations/deployed-stack.ts";
import { useOperatedStack } from "../../tools/operations/operated-stack.ts";
import { type Project, root, usePackage } from "./installed-package.ts";

const packed = usePackage();
/** Secrets and a key that are in an account only: the local stack makes its own and runs all the same. */
const operated = useOperatedStack({
  secrets: {
    "shop-1": {
      callbackKeysArn: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-a1B2c3",
    },
  },
  encryptionKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/k-1",
});
useDeployedStack(operated);
let project: Project;
beforeAll(() => {
  project = packed.newProject("operator", {}, {});
});

/** `npx paycast` in the project, which has neither our sources nor tsx. The stack runs in this process, so it must not wait. */
async function npxPaycast(...args: string[]) {
  const bin = join(project.folder, "node_modules/.bin/paycast");
  const child = spawn(bin, args, { cwd: project.folder, env: process.env });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { out, err, code };
}

describe("npx paycast, from the package", () => {
  test("tells its version, and what it can do", async () => {
    expect(await npxPaycast("--version")).toMatchObject({
      out: `${packageJson.version}\n`,
      code: 0,
    });
    expect((await npxPaycast("replay", "--help")).out).toContain("npx paycast replay");
  });

  test("tells an order's timeline from a local stack, whose config names secrets and a key that are not here", async () => {
    await operated.paidOrder("PACKED-1");
    const { out, code } = await npxPaycast("order", "PACKED-1", "--json");
    expect(JSON.parse(out).order).toMatchObject({ status: "success" });
    expect(code).toBe(0);
  });

  test("finds a deployed stack by the outputs of its construct, with the operator's own credentials", async () => {
    await operated.paidOrder("PACKED-2");
    const { out, err } = await npxPaycast("order", "PACKED-2", "--stack", stackName, "--json");
    expect(err).toBe("");
    expect(JSON.parse(out).order).toMatchObject({ status: "success" });
  });

  test("says in one line what is wrong", async () => {
    const { err, code } = await npxPaycast("ordres");
    expect(err).toMatch(/^paycast: There is no command "ordres"/);
    expect(code).toBe(2);
  });

  test.each(commands.map(({ name }) => name))("can load the command %s", async (name) => {
    const { out, err, code } = await npxPaycast(name, "--help");
    expect({ err, code }).toEqual({ err: "", code: 0 });
    expect(out).toContain(`npx paycast ${name}`);
  });

  test("serves the console of a deployed stack, with a page that was built before", async () => {
    const bin = join(project.folder, "node_modules/.bin/paycast");
    const args = ["console", "--stack", stackName];
    const child = spawn(bin, args, { cwd: project.folder, env: process.env });
    onTestFinished(() => void child.kill());
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const url = (await firstLine(child.stdout)).replace(/^.*: /, "");
    const entered = await fetch(url, { redirect: "manual" });
    const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const get = async (path: string) => {
      const answer = await fetch(new URL(path, url), { headers: { cookie } });
      return { type: answer.headers.get("content-type"), text: await answer.text() };
    };
    expect((await get("/")).text).toContain('<div id="console">');
    expect((await get("/page.js")).text.length).toBeGreaterThan(20_000);
    expect((await get("/page.css")).text).toContain("color-scheme");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  return "";
}

/** On Node 20 the AWS SDK warns in every process that makes a client. On later versions there is nothing to see. */
const warning = "NodeVersionSupportWarning";
const variable = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";
/** Nobody listens there, so a command has made its clients before it gives up. */
const nowhere = {
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "any",
  AWS_SECRET_ACCESS_KEY: "any",
};

describe("the SDK's warning about Node 20", () => {
  test.each([
    ["the package", "node_modules/paycast/cli/paycast.js"],
    ["a checkout", `${root}tools/cli/paycast.mjs`],
  ])("is not printed by the command of %s", (_case, command) => {
    const { err } = project.run([command, "check", "--stack", "Shop"], nowhere);
    expect(err).toContain("cannot be reached");
    expect(err).not.toContain(warning);
  });

  test("is printed by it if somebody asks for it, where there is one", () => {
    const command = "node_modules/paycast/cli/paycast.js";
    const asked = { ...nowhere, [variable]: "false" };
    const { err } = project.run([command, "check", "--stack", "Shop"], asked);
    expect(err.includes(warning)).toBe(Number.parseInt(process.versions.node, 10) < 22);
  });

  test("stays on in a program that imports the construct", () => {
    const code = `require("paycast"); console.log(process.env.${variable})`;
    expect(project.run(["-e", code]).out).toBe("undefined\n");
  });
});
