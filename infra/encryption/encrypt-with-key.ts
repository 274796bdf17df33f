import { Annotations, CfnResource, Stack, Token } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { AccountPrincipal, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import { CfnTopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { functionsIn } from "../lambda/paycast-function.ts";

/**
 * Encrypts tables, secrets, logs and the alarm topic with the customer's own key, and allows its users: the functions,
 * CloudWatch, and the accounts that read a subscriber's queue. Queues get the key when they are created, because it is
 * part of what a queue grants to its readers.
 */
export function encryptWithKey(scope: Construct, key: IKey, readers: readonly string[]): void {
  for (const construct of scope.node.findAll()) {
    if (CfnResource.isCfnResource(construct)) encrypt(construct, key.keyArn);
  }
  for (const paycastFunction of functionsIn(scope)) {
    paycastFunction.alsoAllow(keyPermissions(scope, paycastFunction.permissions, key.keyArn));
  }
  const mails = scope.node.findAll().some((construct) => construct instanceof CfnTopic);
  const statements = [
    logsMayUse(scope),
    ...(mails ? [alarmsMayUse()] : []),
    ...(readers.length > 0 ? [mayRead(scope, readers)] : []),
  ];
  const added = statements.map((statement) => key.addToResourcePolicy(statement).statementAdded);
  if (added.includes(false)) warnOfPolicy(scope, mails, readers);
  warnOfOtherAccount(scope, key);
}

function encrypt(resource: CfnResource, keyArn: string): void {
  if (resource instanceof CfnTable) {
    resource.sseSpecification = { sseEnabled: true, sseType: "KMS", kmsMasterKeyId: keyArn };
  }
  if (resource instanceof CfnTopic) resource.kmsMasterKeyId = keyArn;
  if (resource instanceof CfnSecret) resource.kmsKeyId = keyArn;
  if (resource instanceof CfnLogGroup) resource.kmsKeyId = keyArn;
}

/** Logs of this account only. The policy names no log group, because key and log group would wait for each other. */
function logsMayUse(scope: Construct): PolicyStatement {
  const { region } = Stack.of(scope);
  const logs = Stack.of(scope).formatArn({ service: "logs", resource: "log-group:*" });
  return new PolicyStatement({
    principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
    actions: [
      "kms:Encrypt*",
      "kms:Decrypt*",
      "kms:ReEncrypt*",
      "kms:GenerateDataKey*",
      "kms:Describe*",
    ],
    resources: ["*"],
    conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": logs } },
  });
}

/** For the topic that mails alarms: CloudWatch does not send what it cannot encrypt. */
function alarmsMayUse(): PolicyStatement {
  return new PolicyStatement({
    principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
    actions: ["kms:GenerateDataKey*", "kms:Decrypt"],
    resources: ["*"],
  });
}

/** A reader in another account needs this in addition to the queue's policy. */
function mayRead(scope: Construct, accountIds: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    principals: accountIds.map((accountId) => new AccountPrincipal(accountId)),
    actions: ["kms:Decrypt"],
    resources: ["*"],
    conditions: throughService(scope, "sqs"),
  });
}

/** The policy of a key from another stack cannot be read or changed here. */
function warnOfPolicy(scope: Construct, mails: boolean, readers: readonly string[]): void {
  const services = mails ? "CloudWatch Logs and CloudWatch's alarms" : "CloudWatch Logs";
  const decrypt = `, and let ${readers.join(", ")} decrypt through SQS (kms:Decrypt)`;
  Annotations.of(scope).addWarningV2(
    "paycast:keyPolicy",
    "The policy of the KMS key cannot be changed here. It must let " +
      `${services} use the key${readers.length > 0 ? decrypt : ""}: docs/construct.md has the statements.`,
  );
}

/**
 * Permissions of the functions are not enough in another account: the key's own account decides who else may use it.
 */
function warnOfOtherAccount(scope: Construct, key: IKey): void {
  const { account } = Stack.of(scope);
  const owner = key.env.account;
  if (Token.isUnresolved(account) || Token.isUnresolved(owner) || owner === account) return;
  Annotations.of(scope).addWarningV2(
    "paycast:keyAccount",
    `The KMS key is in account ${owner}. Its policy must let account ${account} use it through SQS, DynamoDB and ` +
      "Secrets Manager, or no callback can be stored.",
  );
}

/**
 * The KMS actions that each service calls on behalf of its caller. DynamoDB encrypts with a key of the table, which KMS
 * decrypts for reads and writes alike. The longer list in its guide is for the principal that selects the key for a
 * table: docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
const keyActions = {
  // Sending a message needs both, receiving one needs the second.
  sqs: ["kms:GenerateDataKey", "kms:Decrypt"],
  dynamodb: ["kms:Decrypt"],
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

function throughService(scope: Construct, service: EncryptingService) {
  const { region } = Stack.of(scope);
  return { StringEquals: { "kms:ViaService": `${service}.${region}.amazonaws.com` } };
}

/** The further permissions that a function needs once its resources are encrypted with a key. */
function keyPermissions(
  scope: Construct,
  permissions: readonly PolicyStatement[],
  keyArn: string,
): PolicyStatement[] {
  const actions = permissions.flatMap((statement) => statement.actions);
  return encryptingServices
    .filter((service) => actions.some((action) => action.startsWith(`${service}:`)))
    .map((service) => allowKey(scope, service, [keyArn]));
}
