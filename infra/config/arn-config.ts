import * as z from "zod";

/** What stands for an ARN or an id until the deployment, if another construct of the same CDK app makes the resource. */
export const cdkToken = /^\$\{Token\[[^\]]+\]\}$/;

function arn(pattern: RegExp, message: string) {
  return z.string().refine((text) => cdkToken.test(text) || pattern.test(text), message);
}

export const certificateArn = arn(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/.+$/,
  "must be an ACM certificate ARN",
);

export const topicArn = arn(
  /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
  "must be the ARN of a standard SNS topic",
);

/** The ARN of an alias would not do: permissions name keys, and an alias can be moved to another key. */
export const keyArn = arn(
  /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
  "must be the ARN of a KMS key, not of an alias",
);

/** A permission on the name alone would match no secret: Secrets Manager adds six characters to each name. */
const secretArn = arn(
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
  "must be the whole ARN of a secret, with the six characters at its end",
);

/**
 * As a condition on `aws:PrincipalArn` reads it: with the role's path, and with `*` and `?` for any characters. A pattern
 * without any letter of a name would let every role of the account send.
 */
const roleArn = arn(
  /^arn:aws[a-z-]*:iam::\d{12}:role\/(?=.*[A-Za-z0-9])[\w+=,.@/*?-]+$/,
  "must be the ARN of a role with its path, like arn:aws:iam::123456789012:role/operators-*",
);

/** Roles of IAM Identity Center have a path. Without it the pattern matches none of them. */
const ssoWithoutPath = /:role\/AWSReservedSSO_/;
const operatorArn = roleArn.refine(
  (text) => !ssoWithoutPath.test(text),
  "must have the path of the role, like role/aws-reserved/sso.amazonaws.com/*AWSReservedSSO_Operators_*",
);

/** A policy of SQS has room for about this many ARNs, beside the functions' own roles. */
const mostOperators = 20;
export const operatorsSchema = z.array(operatorArn).max(mostOperators).default([]);

/** The part of a config that names roles. */
interface NamedOperators {
  readonly operators: readonly string[];
  readonly subscribers: readonly { readonly name: string; readonly operators: readonly string[] }[];
}

/** The queues' policies let nobody of another account send, so such a role could not redrive. */
export function operatorsElsewhere(config: NamedOperators, account: string): string[] {
  const listed = [
    { field: "operators", operators: config.operators },
    ...config.subscribers.map(({ name, operators }) => {
      return { field: `operators of subscriber ${name}`, operators };
    }),
  ];
  return listed.flatMap(({ field, operators }) =>
    operators
      .filter((arn) => !cdkToken.test(arn) && arn.split(":")[4] !== account)
      .map((arn) => `${field} must be roles of account ${account}, and ${arn} is not`),
  );
}

/** Secrets that exist already, by merchant. What is left out is made by the stack. */
export const secretsSchema = z.record(
  z.string(),
  z
    .strictObject({
      callbackKeysArn: secretArn.optional().meta({
        description:
          "Whole ARN of the secret with the keys that open the merchant's callbacks. Without it the stack makes one, without a value.",
        without: "made by the stack",
        more: "construct.md#secrets-that-exist-already",
      }),
      requestKeysArn: secretArn.optional().meta({
        description:
          "Whole ARN of the secret with the keys that sign requests to the payment service.",
        without: "made by the stack",
      }),
      encryptionKeyArn: keyArn
        .optional()
        .describe("ARN of the KMS key of your own that these two are encrypted with."),
    })
    .meta({ id: "PaycastSecrets" }),
);

/** One issue for each merchant whose secrets are named and who is not configured: it may be a typing error. */
export function unknownOwners(
  secrets: z.output<typeof secretsSchema>,
  configured: readonly string[],
): z.core.$ZodRawIssue[] {
  return Object.keys(secrets)
    .filter((merchantId) => !configured.includes(merchantId))
    .map((merchantId) => {
      const message = "must belong to one of the config's merchants";
      return { code: "custom" as const, input: secrets, path: ["secrets", merchantId], message };
    });
}

/**
 * One issue for each secret that has both kinds of keys: receive-callback faces the internet and reads the secrets of
 * callback keys, so the key that signs orders must not be in one of them.
 */
export function sharedSecrets(secrets: z.output<typeof secretsSchema>): z.core.$ZodRawIssue[] {
  const callbackKeys = new Set(
    Object.values(secrets).map(({ callbackKeysArn }) => callbackKeysArn),
  );
  return Object.entries(secrets).flatMap(([merchantId, { requestKeysArn }]) => {
    if (requestKeysArn === undefined || !callbackKeys.has(requestKeysArn)) return [];
    const path = ["secrets", merchantId, "requestKeysArn"];
    const message = "must not be a secret of callback keys: they are read where strangers call";
    return [{ code: "custom" as const, input: secrets, path, message }];
  });
}

interface NamedTopic {
  readonly topicArn?: string | undefined;
}

/** The part of a config that names resources which exist already. */
interface NamedResources {
  readonly domain?: { readonly certificateArn: string } | undefined;
  readonly alarms?: (NamedTopic & { readonly morning?: NamedTopic | undefined }) | undefined;
  readonly encryptionKeyArn?: string | undefined;
  readonly secrets: z.output<typeof secretsSchema>;
}

/** These resources work only in their own region; a deployment would fail late. */
export function arnsElsewhere(config: NamedResources, region: string): string[] {
  return [...arnsOf(config)]
    .filter(([, text]) => text !== undefined && !cdkToken.test(text))
    .filter(([, text]) => text?.split(":")[3] !== region)
    .map(([field]) => `${field} must be in ${region}, where the stack is deployed`);
}

function* arnsOf(config: NamedResources): Generator<readonly [string, string | undefined]> {
  yield ["domain.certificateArn", config.domain?.certificateArn];
  yield ["alarms.topicArn", config.alarms?.topicArn];
  yield ["alarms.morning.topicArn", config.alarms?.morning?.topicArn];
  yield ["encryptionKeyArn", config.encryptionKeyArn];
  for (const [merchantId, secrets] of Object.entries(config.secrets)) {
    for (const [field, text] of Object.entries(secrets)) {
      yield [`secrets.${merchantId}.${field}`, text];
    }
  }
}
