import { readFileSync } from "node:fs";
import { Stack } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, test } from "vitest";
import { newApp, paycastIn } from "./consuming/consumer-stack.ts";
import { resourcesOf, type StackTemplate } from "./stack-template.ts";

const guide = readFileSync(new URL("../../docs/construct.md", import.meta.url), "utf8");

type Statement = { Action: string | string[]; Principal: { AWS?: string | string[] } };

/** One spelling for what IAM reads alike: the order of statements and actions, a list of one. */
function comparable(statements: readonly Statement[]) {
  return statements
    .map(({ Action, Principal, ...rest }) => {
      const accounts = Principal.AWS && { AWS: [Principal.AWS].flat() };
      return { ...rest, Action: [Action].flat().sort(), Principal: { ...Principal, ...accounts } };
    })
    .sort((one, other) => one.Action.join().localeCompare(other.Action.join()));
}

test("the statements that docs/construct.md has for an imported key are those that a key of the app gets", () => {
  const app = newApp();
  const env = { account: "123456789012", region: "eu-west-1" };
  const stack = new Stack(app, "Payments", { env });
  paycastIn(stack, {
    encryptionKey: new Key(stack, "Own"),
    subscribers: [{ name: "ledger", types: ["*"], readers: ["210987654321"] }],
    alarms: { email: "on-call@example.com" },
  });
  const template: StackTemplate = app.synth().getStackByName("Payments").template;
  const [, { Properties }] = resourcesOf(template, "AWS::KMS::Key")[0]!;
  // The first one lets the account decide by IAM, as for every key.
  const [, ...made] = Properties.KeyPolicy.Statement;
  const [, documented = ""] = /^```json\n(\[.*?^\])\n```$/ms.exec(guide) ?? [];
  expect(comparable(JSON.parse(documented))).toEqual(comparable(made));
});
