import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import type { StackTemplate } from "./stack-template.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryFolder("app");

/** Without credentials, without a home and without the network: the environment holds nothing else. */
function run(command: string, args: string[], env: Record<string, string> = {}) {
  return spawnSync(join(root, "node_modules", ".bin", command), args, {
    cwd: root,
    encoding: "utf8",
    timeout: 150_000,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
  });
}

/** The app as the `cdk` command runs it. */
function runApp(env: Record<string, string>) {
  return run("tsx", ["infra/app.ts"], { CDK_OUTDIR: join(folder, "app.out"), ...env });
}

function configFile(name: string, config: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

describe("the CDK app", () => {
  test("synthesizes the sample config into a template with its bundles, with no credentials", () => {
    const out = join(folder, "cdk.out");
    const { status, stderr } = run("cdk", ["synth", "--quiet", "--output", out]);
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
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

  test("makes the stack that the config names, for its account and region alone", () => {
    const path = configFile("prod.json", {
      ...{ name: "payments-prod", account: "123456789012", region: "eu-west-1" },
      ...{ merchants: ["M1"], subscribers: [] },
    });
    const { status } = runApp({
      PAYCAST_CONFIG: path,
      CDK_DEFAULT_ACCOUNT: "210987654321",
      CDK_DEFAULT_REGION: "us-east-1",
    });
    expect(status).toBe(0);
    const { artifacts } = JSON.parse(
      readFileSync(join(folder, "app.out", "manifest.json"), "utf8"),
    );
    // The CDK command deploys to this environment, and stops if the credentials do not reach it.
    expect(artifacts["payments-prod"].environment).toBe("aws://123456789012/eu-west-1");
    const other = { CDK_CONTEXT_JSON: JSON.stringify({ config: path, stackName: "payments-dev" }) };
    expect(runApp(other).stderr).toBe("stackName must be payments-prod, the name in the config\n");
  });

  test("says what is wrong with a config in one line and fails", () => {
    const path = configFile("wrong.json", { merchants: ["M1"], subscribers: [{ name: "crm" }] });
    const { status, stderr } = runApp({ PAYCAST_CONFIG: path });
    expect(stderr).toBe(`${path}: subscribers.0.types must be an array\n`);
    expect(status).toBe(1);
  });

  test("takes the config that the command's context names before the environment's", () => {
    const path = configFile("context.json", { merchants: [], subscribers: [] });
    const { stderr } = runApp({
      PAYCAST_CONFIG: configFile("other.json", {}),
      CDK_CONTEXT_JSON: JSON.stringify({ config: path }),
    });
    expect(stderr).toBe(`${path}: merchants must be at least 1 entries long\n`);
  });

  test("refuses what lies in another region once the command knows where it deploys to", () => {
    const alarms = { topicArn: "arn:aws:sns:eu-west-1:210987654321:on-call" };
    const path = configFile("region.json", { merchants: ["M1"], subscribers: [], alarms });
    const { stderr } = runApp({
      PAYCAST_CONFIG: path,
      CDK_DEFAULT_ACCOUNT: "123456789012",
      CDK_DEFAULT_REGION: "us-east-1",
    });
    expect(stderr).toContain("alarms.topicArn must be in us-east-1");
  });
});
