import { Stack } from "aws-cdk-lib";
import { type Queue, QueuePolicy } from "aws-cdk-lib/aws-sqs";
import * as z from "zod";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { asDeployed, bytesOf } from "../lambda/as-deployed.ts";

/** SQS's limits for one queue policy. */
const mostBytes = 8_192;
const mostPrincipals = 50;

const documentSchema = z.object({
  Statement: z.array(z.looseObject({ Principal: z.object({ AWS: z.unknown() }) })),
});

/**
 * SQS would reject such a policy late in a deployment. Throws `config-invalid`, naming the fields that make it long.
 */
export function refuseLargePolicy(queue: Queue, fields: string): void {
  const policy = queue.node.findAll().find((construct) => construct instanceof QueuePolicy);
  if (policy === undefined) return;
  const { Statement } = documentSchema.parse(Stack.of(queue).resolve(policy.document));
  const principals = Statement.flatMap(({ Principal: { AWS } }) => AWS).length;
  const bytes = bytesOf({ Version: "2012-10-17", Statement: textsWithin(Statement) });
  if (bytes > mostBytes) throw tooLarge(fields, `${bytes} bytes`, mostBytes);
  if (principals > mostPrincipals) {
    throw tooLarge(fields, `${principals} principals`, mostPrincipals);
  }
}

function tooLarge(fields: string, found: string, most: number): PaycastError {
  return new PaycastError(
    "config-invalid",
    `${fields} must be shorter: a queue's policy would take ${found}, and SQS allows ${most}`,
  );
}

const intrinsic = /^(Ref|Fn::\w+)$/;

/** The same value with each reference replaced by the longest possible text. */
function textsWithin(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(textsWithin);
  const entries = Object.entries(value);
  if (entries.length === 1 && intrinsic.test(entries[0]?.[0] ?? "")) return asDeployed(value);
  return Object.fromEntries(entries.map(([key, inner]) => [key, textsWithin(inner)]));
}
