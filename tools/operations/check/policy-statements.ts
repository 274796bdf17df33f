import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import type { QueueAttributes } from "./queue-attributes.ts";

const oneOrMore = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === "string" ? [value] : value));

const statementSchema = z.object({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.record(z.string(), oneOrMore)]).optional(),
  Action: oneOrMore.default([]),
  NotAction: oneOrMore.optional(),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).optional(),
});
export type Statement = z.output<typeof statementSchema>;

const policySchema = z.object({
  Statement: z
    .union([statementSchema, z.array(statementSchema)])
    .transform((value) => (Array.isArray(value) ? value : [value])),
});

/** Undefined if there is no policy, or one that cannot be read. */
export function statementsIn({
  Policy: text = "",
}: QueueAttributes): readonly Statement[] | undefined {
  return policySchema.safeParse(parseJson(text)).data?.Statement;
}

/** Accounts, roles, services. A statement without a principal we can read counts as everybody. */
export function principalsOf({ Principal }: Statement): readonly string[] {
  if (Principal === undefined || Principal === "*") return ["*"];
  return Object.values(Principal).flat();
}

export function accountOf(principal: string): string | undefined {
  return /^(?:arn:aws[\w-]*:(?:iam|sts)::)?(\d{12})(?::|$)/.exec(principal)?.[1];
}

export function ownerOf(attributes: QueueAttributes): string | undefined {
  return attributes["QueueArn"]?.split(":")[4];
}

/**
 * Whether the statement refuses the action to everybody but the roles in a condition. With any other condition than this
 * one, somebody else may get through.
 */
export function refusesStrangers(statement: Statement, action: string): boolean {
  const { Effect, Condition = {} } = statement;
  const tests = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.keys(keys).map((key) => `${operator} ${key}`),
  );
  return (
    Effect === "Deny" &&
    principalsOf(statement).includes("*") &&
    isOnAction(statement, action) &&
    tests.every((test) => test === "ArnNotLike aws:PrincipalArn")
  );
}

/** Whether a role, or its whole account, is among the statement's principals. */
export function isAbout(statement: Statement, role: string): boolean {
  const isWholeAccount = (one: string) => /^\d{12}$|:root$/.test(one);
  return principalsOf(statement).some(
    (one) =>
      one === "*" || one === role || (isWholeAccount(one) && accountOf(one) === accountOf(role)),
  );
}

export function isOnAction({ Action, NotAction }: Statement, action: string): boolean {
  return NotAction === undefined ? isAnyLike(Action, action) : !isAnyLike(NotAction, action);
}

export type Answer = "yes" | "no" | "unknown";

/** A statement applies if all its conditions hold. */
export function appliesTo({ Condition = {} }: Statement, role: string): Answer {
  const answers = Object.entries(Condition).flatMap(([operator, tests]) =>
    Object.entries(tests).map(([key, values]) => holds(operator, key, values, role)),
  );
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

function holds(operator: string, key: string, values: readonly string[], role: string): Answer {
  const name = key.toLowerCase();
  // The functions use TLS.
  if (name === "aws:securetransport") return values.includes("false") ? "no" : "yes";
  const [, not] = /^(?:Arn|String)(Not)?(?:Like|Equals)$/.exec(operator) ?? ["", "unknown"];
  if (name !== "aws:principalarn" || not === "unknown") return "unknown";
  return isAnyLike(values, role) === (not === undefined) ? "yes" : "no";
}

/** With the wildcards of IAM. */
function isAnyLike(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    const source = escaped.replaceAll("*", ".*").replaceAll("?", ".");
    return new RegExp(`^${source}$`, "i").test(text);
  });
}
