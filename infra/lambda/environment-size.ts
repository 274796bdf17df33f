import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";

/** Lambda's limit for all variables of a function together, written as one JSON object. */
const maximumBytes = 4096;

/** A URL, ARN or name that is known only after deployment: 80 characters of name, and the part before it. */
const unknownText = "x".repeat(140);
/** A region or an account id. */
const unknownPart = "x".repeat(16);

/** The config field that makes each variable longer. */
const fieldOf = new Map([
  ["CALLBACK_KEYS", "merchants"],
  ["REQUEST_KEYS", "merchants"],
  ["SUBSCRIBERS", "subscribers"],
  ["ALLOWED_SOURCES", "callbacks.sourceAddresses"],
  ["GATEWAY", "gateway"],
  ["REDIRECT_ORIGINS", "storefront.redirectOrigins"],
]);

const joinSchema = z.object({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) });
const refSchema = z.object({ Ref: z.string() });

/** Lambda would refuse such a function late in a deployment. Throws `config-invalid`, naming the fields. */
export function refuseLargeEnvironment(
  scope: Construct,
  functionName: string,
  environment: Readonly<Record<string, string>>,
): void {
  const variables = Object.entries(environment).map(
    ([name, value]) => [name, asDeployed(Stack.of(scope).resolve(value))] as const,
  );
  const total = bytesOf(Object.fromEntries(variables));
  if (total <= maximumBytes) return;
  const fields = variables
    .map(([name, text]) => ({ field: fieldOf.get(name), bytes: bytesOf(text) }))
    .sort((one, other) => other.bytes - one.bytes)
    .flatMap(({ field, bytes }) => (field === undefined ? [] : [`${field} (${bytes} bytes)`]));
  throw new PaycastError(
    "config-invalid",
    `${fields.join(", ")} must be shorter: the environment of ${functionName} would take ` +
      `${total} bytes, and Lambda allows ${maximumBytes}`,
  );
}

/** The text with each reference replaced by the longest possible value. */
function asDeployed(value: unknown): string {
  if (typeof value === "string") return value;
  const join = joinSchema.safeParse(value);
  if (join.success) {
    const [separator, parts] = join.data["Fn::Join"];
    return parts.map(asDeployed).join(separator);
  }
  const ref = refSchema.safeParse(value);
  return ref.success && ref.data.Ref.startsWith("AWS::") ? unknownPart : unknownText;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
