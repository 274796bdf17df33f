import { Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** What each service asks KMS for in the name of its caller. */
const keyActions = {
  // To send a message takes both; to receive one takes the second.
  sqs: ["kms:GenerateDataKey", "kms:Decrypt"],
  dynamodb: [
    "kms:Encrypt",
    "kms:Decrypt",
    "kms:ReEncrypt*",
    "kms:GenerateDataKey*",
    "kms:DescribeKey",
  ],
  secretsmanager: ["kms:Decrypt"],
} as const;

type EncryptingService = keyof typeof keyActions;

const encryptingServices: readonly EncryptingService[] = ["sqs", "dynamodb", "secretsmanager"];

/** Only through the service: a function cannot decrypt anything by itself. */
export function allowKey(
  scope: Construct,
  service: EncryptingService,
  keyArns: string[],
  actions: readonly string[] = keyActions[service],
): PolicyStatement {
  return new PolicyStatement({
    actions: [...actions],
    resources: keyArns,
    conditions: throughService(scope, service),
  });
}

export function throughService(scope: Construct, service: EncryptingService) {
  const { region } = Stack.of(scope);
  return { StringEquals: { "kms:ViaService": `${service}.${region}.amazonaws.com` } };
}

/** What a function needs in addition once the resources of its permissions are encrypted with a key. */
export function keyPermissions(
  scope: Construct,
  permissions: readonly PolicyStatement[],
  keyArn: string,
): PolicyStatement[] {
  const actions = permissions.flatMap((statement) => statement.actions);
  return encryptingServices
    .filter((service) => actions.some((action) => action.startsWith(`${service}:`)))
    .map((service) => allowKey(scope, service, [keyArn]));
}
