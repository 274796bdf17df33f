import * as z from "zod";

/** A URL, ARN or name that is known only after deployment: up to 80 characters of name, and the part before it. */
const unknownText = "x".repeat(140);
/** A region or an account id. */
const unknownPart = "x".repeat(16);
/** SQS allows names of up to 80 characters, and CloudFormation may use them all. */
const unknownQueueName = "x".repeat(80);

const joinSchema = z.object({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) });
const refSchema = z.object({ Ref: z.string() });
const attributeSchema = z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) });

/** A resolved text with each reference replaced by the longest possible value. */
export function asDeployed(value: unknown): string {
  if (typeof value === "string") return value;
  const join = joinSchema.safeParse(value);
  if (join.success) {
    const [separator, parts] = join.data["Fn::Join"];
    return parts.map(asDeployed).join(separator);
  }
  const ref = refSchema.safeParse(value);
  if (ref.success && ref.data.Ref.startsWith("AWS::")) return unknownPart;
  const attribute = attributeSchema.safeParse(value);
  return attribute.data?.["Fn::GetAtt"][1] === "QueueName" ? unknownQueueName : unknownText;
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
