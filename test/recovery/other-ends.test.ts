import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseDeployment } from "../../infra/config/environment-config.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { type AwsClients, createAwsClients } from "../../local/aws/aws-clients.ts";
import { localAccountId, localRegion } from "../../local/aws/emulator.ts";
import { stub } from "../infra/stack-template.ts";
import { useOperator } from "./operator.ts";
import { storesInAccount } from "./stack-contents.ts";

const timeout = 180_000;
const small = {
  merchants: ["M1"],
  subscribers: [{ name: "crm", types: ["*"] }],
  alarms: { topicArn: `arn:aws:sns:${localRegion}:${localAccountId}:on-call` },
};
const operator = useOperator();
let aws: AwsClients;
beforeAll(() => {
  aws = createAwsClients(operator.emulators());
});
afterEach(() => operator.aws().broken.clear());
afterAll(() => aws.destroy());

test("a disposable stack leaves nothing", { timeout }, async () => {
  useConfig({ ...small, name: "disposable", removalPolicy: "destroy", smoke: true });
  expect(await operator.type("npx cdk deploy")).toMatchObject({ code: 0 });
  const { resources } = operator.aws().stacks.find("disposable");
  expect(await existing(resources.values())).toHaveLength(resources.size);
  expect(await operator.type("npx cdk destroy --force")).toMatchObject({ code: 0 });
  expect(await existing(resources.values())).toEqual([]);
  expect(await storesInAccount(aws)).toEqual([]);
});

test("a first deployment that fails leaves its two tables and the audit log, and the next one succeeds", {
  timeout,
}, async () => {
  useConfig({ ...small, name: "first" });
  const { broken, stacks } = operator.aws();
  broken.add("AWS::IAM::Role");
  expect(await operator.type("npx cdk deploy")).toMatchObject({ code: 1 });
  const failed = stacks.find("first");
  expect(failed.status).toBe("ROLLBACK_COMPLETE");
  const left = await existing(failed.resources.values());
  expect(left.map(({ type }) => type).sort()).toEqual([
    "AWS::DynamoDB::Table",
    "AWS::DynamoDB::Table",
    "AWS::Logs::LogGroup",
  ]);
  broken.clear();
  expect(await operator.type("npx cdk deploy")).toMatchObject({ code: 0 });
  expect(stacks.find("first")).toMatchObject({ status: "CREATE_COMPLETE" });
  expect(await storesInAccount(aws)).toHaveLength(2 + 2 + 4);
});

test("a config for another account is refused", { timeout }, async () => {
  useConfig({ ...small, name: "elsewhere", account: "123456789012", region: localRegion });
  const { err, code } = await operator.type("npx cdk deploy");
  expect(err).toContain("Could not assume role in target account using current credentials");
  expect(code).toBe(1);
  expect(operator.aws().stacks.living("elsewhere")).toBeUndefined();
});

test("a config goes to its own region, whatever the region of the terminal is", {
  timeout,
}, async () => {
  useConfig({ ...small, name: "at-home", account: localAccountId, region: localRegion });
  const { code } = await operator.type("npx cdk deploy", { AWS_REGION: "eu-west-1" });
  expect(code).toBe(0);
  expect(operator.aws().stacks.find("at-home").status).toBe("CREATE_COMPLETE");
});

/** Makes the stack of a config what the CDK command deploys. Its functions do nothing. */
function useConfig(input: { readonly name: string; readonly [field: string]: unknown }): void {
  const outdir = join(operator.folder, `${input.name}.out`);
  const { config, environment } = parseDeployment(input);
  const app = createApp({ outdir, builtinCloudFormationValidation: false });
  const codeOf = (name: Parameters<typeof stub>[1]) => stub(operator.folder, name);
  new PaycastStack(app, input.name, { config, codeOf, environment });
  app.synth();
  operator.setApp(outdir);
}

async function existing(
  resources: Iterable<{ readonly type: string; readonly physicalId: string }>,
) {
  const { exists } = operator.aws().account;
  const asked = [...resources].map(async (resource) =>
    (await exists(resource.type, resource.physicalId)) ? [resource] : [],
  );
  return (await Promise.all(asked)).flat();
}
