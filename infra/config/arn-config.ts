import * as z from "zod";

/** A CDK token that is not resolved yet: another construct of the same app creates the resource. */
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

/** Not an alias: permissions name keys, and an alias can be moved to another key. */
export const keyArn = arn(
  /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
  "must be the ARN of a KMS key, not of an alias",
);

/** Secrets Manager adds six characters to each name, so a permission on the name alone would match no secret. */
const secretArn = arn(
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
  "must be the complete ARN of a secret, with the six characters at its end",
);

/**
 * The value of a condition on `aws:PrincipalArn`: the role with its path, where `*` and `?` match any characters. A
 * pattern without a letter or digit would let every role of the account send.
 */
const roleArn = arn(
  /^arn:aws[a-z-]*:iam::\d{12}:role\/(?=.*[A-Za-z0-9])[\w+=,.@/*?-]+$/,
  "must be the ARN of a role with its path, like arn:aws:iam::123456789012:role/operators-*",
);

/** Roles of IAM Identity Center have a path. A pattern without it matches none of them. */
const ssoWithoutPath = /:role\/AWSReservedSSO_/;
const operatorArn = roleArn.refine(
  (text) => !ssoWithoutPath.test(text),
  "must include the path of the role, like role/aws-reserved/sso.amazonaws.com/*AWSReservedSSO_Operators_*",
);

/** A queue policy has room for about this many ARNs beside the functions' roles. */
const mostOperators = 20;
export const operatorsSchema = z.array(operatorArn).max(mostOperators).default([]);

/** The part of a config that names roles. */
interface NamedOperators {
  readonly operators: readonly string[];
  readonly subscribers: readonly { readonly name: string; readonly operators: readonly string[] }[];
}

/** The queue policies let no other account send, so a role of another account could not redrive. */
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
      .map((arn) => `${field} must be roles of account ${account}: ${arn} is not`),
  );
}

/** Existing secrets, by merchant. The stack creates the others. */
export const secretsSchema = z.record(
  z.string(),
  z
    .strictObject({
      callbackKeysArn: secretArn.optional().meta({
        description:
          "Complete ARN of the secret with the keys for the merchant's callbacks. Without it the stack creates an empty secret.",
        without: "created by the stack",
        more: "construct.md#secrets-that-exist-already",
      }),
      requestKeysArn: secretArn.optional().meta({
        description:
          "Complete ARN of the secret with the keys that sign requests to the payment service.",
        without: "created by the stack",
      }),
      encryptionKeyArn: keyArn
        .optional()
        .describe("ARN of your KMS key that encrypts these two secrets."),
    })
    .meta({ id: "PaycastSecrets" }),
);

/** One issue for each merchant in `secrets` that the config does not have: probably a typing error. */
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
 * One issue for each secret that is used for both kinds of keys. receive-callback faces the internet and reads the
 * callback keys, so the key that signs orders must not be among them.
 */
export function sharedSecrets(secrets: z.output<typeof secretsSchema>): z.core.$ZodRawIssue[] {
  const callbackKeys = new Set(
    Object.values(secrets).map(({ callbackKeysArn }) => callbackKeysArn),
  );
  return Object.entries(secrets).flatMap(([merchantId, { requestKeysArn }]) => {
    if (requestKeysArn === undefined || !callbackKeys.has(requestKeysArn)) return [];
    const path = ["secrets", merchantId, "requestKeysArn"];
    const message =
      "must not be a secret of callback keys: a function that faces the internet reads those";
    return [{ code: "custom" as const, input: secrets, path, message }];
  });
}

interface NamedTopic {
  readonly topicArn?: string | undefined;
}

/** The part of a config that names existing resources. */
interface NamedResources {
  readonly domain?: { readonly certificateArn: string } | undefined;
  readonly alarms?: (NamedTopic & { readonly morning?: NamedTopic | undefined }) | undefined;
  readonly encryptionKeyArn?: string | undefined;
  readonly secrets: z.output<typeof secretsSchema>;
}

/** These resources work only in their own region. Without this check the deployment would fail late. */
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
