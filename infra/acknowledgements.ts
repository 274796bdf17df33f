import { CfnResource, Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** A cdk-nag finding that is correct about the resource but is not a risk here. */
export interface Acknowledgement {
  readonly rules: readonly string[];
  /** The paths of the resources below the construct. Narrow, so that a new resource is not acknowledged by accident. */
  readonly on: RegExp;
  /** For a security reviewer. */
  readonly reason: string;
}

/** Apps that run cdk-nag get these with the construct. `"access": "open"` has none: it stays a finding. */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    rules: ["AwsSolutions-SMG4"],
    on: /^Keys\/(Callback|Request)Keys-[\w-]+$/,
    reason:
      "The payment service issues these keys, so no schedule can rotate them. An operator stores new ones (npx paycast keys set); the previous version verifies callbacks for a limited time.",
  },
  {
    rules: ["AwsSolutions-SMG4"],
    on: /^Keys\/StampKey$/,
    reason:
      "The stack creates this key, and no person or other system has it. A rotation must wait until the inbox is empty, so an operator does it after a leak (SECURITY.md).",
  },
  {
    rules: ["PCI.DSS.321-SecretsManagerUsingKMSKey"],
    on: /^Keys\/((Callback|Request)Keys-[\w-]+|StampKey)$/,
    reason:
      "Encrypted with the account's AWS managed key by default. encryptionKeyArn encrypts all secrets with a key of the customer.",
  },
  {
    rules: ["PCI.DSS.321-CloudWatchLogGroupEncrypted"],
    on: /^(.+\/Logs|Http\/AccessLog|AuditLog)\/Resource$/,
    reason:
      "CloudWatch Logs encrypts with its own key by default, and no line contains a key, a body or personal data. encryptionKeyArn encrypts all logs with a key of the customer.",
  },
  {
    rules: ["AwsSolutions-APIG4"],
    on: /^Http\/Api\/POST--callbacks\/Resource$/,
    reason:
      "The payment service has no AWS credentials and no token. receive-callback verifies its RSA signature and rejects everything else before anything is stored.",
  },
  {
    rules: ["AwsSolutions-APIG4"],
    on: /^Http\/Api\/(AnyOther|OPTIONS--\{path\+\})\/Resource$/,
    reason:
      "Returns 404 for unknown paths and responds to browsers' preflights, which cannot carry credentials. It reads no data, and its rate is limited.",
  },
  {
    rules: ["AwsSolutions-IAM5[Resource::*]", "Serverless-LambdaStarPermissions"],
    on: /^(Intake|Processing|Attention|Storefront|Reconciliation)\/\w+\/Role\/Resource$/,
    reason:
      "Only with tracing and egress: X-Ray's two actions, and Lambda's calls for its network interfaces. EC2 and X-Ray have no resources to name for them, and the code of the function is denied the latter. All other statements name single resources of the stack.",
  },
  {
    rules: ["PCI.DSS.321-IAMNoInlinePolicy"],
    on: /^(Intake|Processing|Attention|Storefront|Reconciliation)\/\w+\/Role\/Resource$/,
    reason:
      "Each role belongs to one function and has one policy, which nothing else can share or widen. A managed policy could be attached elsewhere.",
  },
  {
    rules: ["PCI.DSS.321-LambdaInsideVPC"],
    on: /^(Intake|Processing|Attention|Storefront|Reconciliation)\/\w+\/Function\/Resource$/,
    reason:
      "The functions call AWS and the payment service over TLS, have no private network to reach, and nothing can connect to them. A VPC would add no boundary.",
  },
  {
    rules: ["Serverless-LambdaTracing"],
    on: /^(Intake|Processing|Attention|Storefront|Reconciliation)\/\w+\/Function\/Resource$/,
    reason:
      "Each log line and each event has a trace id even without X-Ray, and metrics show durations and cold starts. X-Ray can cost more than the calls that it records: tracing in the config switches it on.",
  },
  {
    rules: ["Serverless-LambdaDLQ"],
    on: /^(Intake|Processing|Attention|Storefront|Reconciliation)\/\w+\/Function\/Resource$/,
    reason:
      "Lambda uses such a queue only for asynchronous calls. API Gateway and the inbox call synchronously, and the inbox has a dead-letter queue. The next run of a schedule does the work of a failed one.",
  },
  {
    rules: ["Serverless-LambdaAsyncFailureDestination", "Serverless-EventBusDLQ"],
    on: /^(Reconciliation|Attention)\/(\w+\/Function\/EventInvokeConfig|EveryMinute)\/Resource$/,
    reason:
      "A tick carries no data. The next run, a minute later, does the same work, and an alarm goes off if no run reports.",
  },
  {
    rules: ["Serverless-LambdaEventSourceMappingDestination"],
    on: /^Processing\/InboxMessages\/Resource$/,
    reason:
      "Lambda has no failure destination for SQS. A message that fails returns to the inbox and finally moves to its dead-letter queue, which has an alarm.",
  },
  {
    rules: ["Serverless-SQSRedrivePolicy"],
    on: /^(Inbox\/Messages|Subscribers\/[\w-]+)\/DeadLetters\/Resource$/,
    reason: "It is a dead-letter queue itself, with an alarm on the first message.",
  },
  {
    rules: ["AwsSolutions-SQS3", "Serverless-SQSRedrivePolicy"],
    on: /^(Subscribers\/paycast-smoke|Intake\/Captured)\/Resource$/,
    reason:
      "Operators read it by hand during a smoke test or a search for wrong keys. After that its messages have no value, and SQS deletes them.",
  },
  {
    rules: ["AwsSolutions-DDB3"],
    on: /^Records\/(Callbacks|Orders)\/Resource$/,
    reason:
      "Only a stack with removalPolicy destroy has tables without point-in-time recovery: it is disposable, for development, and is deleted with all its data.",
  },
  {
    rules: [
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
    ],
    on: /^Intake\/Rollout\/ServiceRole\/Resource$/,
    reason:
      "Only CodeDeploy can take this role, for a gradual rollout. AWS maintains the policy for that purpose, and it allows no reading of data.",
  },
  {
    rules: ["PCI.DSS.321-SNSEncryptedKMS"],
    on: /^(AlarmMail|MorningMail)\/Resource$/,
    reason:
      "CloudWatch cannot use the AWS managed key of SNS, so only a key of the customer works: encryptionKeyArn encrypts the topic. A message names an alarm and its numbers, no payment.",
  },
  {
    rules: ["Serverless-SNSRedrivePolicy"],
    on: /^(AlarmMail|MorningMail)\/.+\/Resource$/,
    reason:
      "An alarm mail that was not delivered is not worth sending later: CloudWatch and npx paycast check show the alarm's state.",
  },
];

/** Call it after all resources are created. */
export function acknowledgeFindings(scope: Construct): void {
  for (const construct of scope.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    const path = construct.node.path.slice(scope.node.path.length + 1);
    const answers = acknowledgements.filter(({ on }) => on.test(path));
    for (const { rules, reason } of answers) {
      Validations.of(construct).acknowledge(...rules.map((id) => ({ id, reason })));
    }
  }
}
