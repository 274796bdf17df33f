import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseConfig } from "../../infra/config/config-schema.ts";
import { functionNames } from "../../infra/config/function-names.ts";
import { createApp, synthesize } from "../../infra/synthesize.ts";
import { anyoneMaySend } from "../../shared/open-senders.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import type { StackTemplate } from "./stack-template.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const app = join(root, "infra/app.ts");
const folder = temporaryFolder("app");

let runs = 0;

/** Runs the app as the `cdk` command does, but in this process. */
async function runApp(env: Record<string, string>) {
  const error = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => {
    error.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  });
  const always = { CDK_OUTDIR: join(folder, "app.out"), CDK_VALIDATION: "false" };
  for (const [name, value] of Object.entries({ ...always, ...env })) vi.stubEnv(name, value);
  runs += 1;
  await import(`${app}?run=${runs}`);
  return { status: process.exitCode, stderr: error.mock.calls.flat().join("\n") };
}

function configFile(name: string, config: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const named = { name: "payments-prod", merchants: ["M1"], subscribers: [] };

describe("the CDK app", () => {
  test("synthesizes the sample config into a template with its bundles, with no credentials", () => {
    const out = join(folder, "cdk.out");
    const cdk = join(root, "node_modules/.bin/cdk");
    // Without credentials, without a home and without the network: the environment holds nothing else.
    const env = { PATH: process.env["PATH"], HOME: folder };
    const options = { cwd: root, encoding: "utf8", timeout: 150_000, env } as const;
    const { status, stderr } = spawnSync(cdk, ["synth", "--quiet", "--output", out], options);
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    // What the sample leaves open, in one line each, and nothing else.
    const notices = stderr.split("\n").filter((line) => /^(INFO|WARNING) /.test(line));
    const heard =
      "Nobody is notified of alarms: set alarms.email or alarms.topicArn (docs/configuration.md).";
    expect(notices.sort()).toEqual(
      [anyoneMaySend, heard].map((line) => `WARNING ${line} (Annotation)`).sort(),
    );
    const { Resources }: StackTemplate = JSON.parse(
      readFileSync(join(out, "Paycast.template.json"), "utf8"),
    );
    const functions = Object.values(Resources).filter(
      ({ Type }) => Type === "AWS::Lambda::Function",
    );
    expect(functions).toHaveLength(functionNames.length);
    for (const { Metadata } of functions) {
      expect(readdirSync(join(out, String(Metadata?.["aws:asset:path"])))).toEqual(["index.mjs"]);
    }
  });

  test("warns of what a deployer leaves open, unless it is quiet", async () => {
    const config = parseConfig({ merchants: ["M1"], subscribers: [] });
    const warnings = async (isQuiet: boolean) => {
      const outdir = join(folder, `quiet-${isQuiet}`);
      const app = createApp({ outdir, builtinCloudFormationValidation: false });
      const { stacks } = await synthesize(app, config, { isQuiet });
      return stacks.flatMap(({ messages }) => messages.map(({ level }) => level));
    };
    expect(await warnings(false)).toEqual(["warning", "warning"]);
    expect(await warnings(true)).toEqual([]);
  });

  test("makes the stack that the config names, for its account and region alone", async () => {
    const place = { account: "123456789012", region: "eu-west-1" };
    const path = configFile("prod.json", { ...named, ...place });
    const elsewhere = { CDK_DEFAULT_ACCOUNT: "210987654321", CDK_DEFAULT_REGION: "us-east-1" };
    expect(await runApp({ PAYCAST_CONFIG: path, ...elsewhere })).toMatchObject({
      status: undefined,
    });
    const { artifacts } = JSON.parse(
      readFileSync(join(folder, "app.out", "manifest.json"), "utf8"),
    );
    // The CDK command deploys to this environment, and stops if the credentials do not reach it.
    expect(artifacts["payments-prod"].environment).toBe("aws://123456789012/eu-west-1");
  });

  test("makes no stack of another name than the config's", async () => {
    const context = { config: configFile("named.json", named), stackName: "payments-dev" };
    const { stderr } = await runApp({ CDK_CONTEXT_JSON: JSON.stringify(context) });
    expect(stderr).toBe("stackName must be payments-prod, the name in the config");
  });

  test("says what is wrong with a config in one line and fails", async () => {
    const path = configFile("wrong.json", { merchants: ["M1"], subscribers: [{ name: "crm" }] });
    const { status, stderr } = await runApp({ PAYCAST_CONFIG: path });
    expect(stderr).toBe(`${path}: subscribers.0.types must be an array`);
    expect(status).toBe(1);
  });

  test("takes the config that the command's context names before the environment's", async () => {
    const path = configFile("context.json", { merchants: [], subscribers: [] });
    const { stderr } = await runApp({
      PAYCAST_CONFIG: configFile("other.json", {}),
      CDK_CONTEXT_JSON: JSON.stringify({ config: path }),
    });
    expect(stderr).toBe(`${path}: merchants must have at least 1 entry`);
  });

  test("refuses operators of another account once the command knows where it deploys to", async () => {
    const operators = ["arn:aws:iam::210987654321:role/on-call"];
    const config = { merchants: ["M1"], subscribers: [], operators };
    const path = configFile("operators.json", config);
    const env = { CDK_DEFAULT_ACCOUNT: "123456789012", CDK_DEFAULT_REGION: "us-east-1" };
    const { stderr } = await runApp({ PAYCAST_CONFIG: path, ...env });
    expect(stderr).toContain("operators must be roles of account 123456789012");
    const named = { ...config, account: "310987654321", region: "us-east-1" };
    const there = await runApp({ PAYCAST_CONFIG: configFile("account.json", named) });
    expect(there.stderr).toContain("operators must be roles of account 310987654321");
  });

  test("refuses what lies in another region once the command knows where it deploys to", async () => {
    const alarms = { topicArn: "arn:aws:sns:eu-west-1:210987654321:on-call" };
    const path = configFile("region.json", { merchants: ["M1"], subscribers: [], alarms });
    const { stderr } = await runApp({
      PAYCAST_CONFIG: path,
      CDK_DEFAULT_ACCOUNT: "123456789012",
      CDK_DEFAULT_REGION: "us-east-1",
    });
    expect(stderr).toContain("alarms.topicArn must be in us-east-1");
  });
});
