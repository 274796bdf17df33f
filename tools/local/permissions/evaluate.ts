import type { Conditions, OperatorName, Statement } from "./policy.ts";

/** What a call needs to be allowed. */
export interface Requirement {
  /** Such as "dynamodb:PutItem". */
  readonly action: string;
  readonly resource: string;
  /** The values of the condition keys that the call has. */
  readonly context: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A statement, compiled for comparison with many calls. */
export interface CompiledStatement {
  readonly statement: Statement;
  readonly matches: (requirement: Requirement) => boolean;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** The deciding statements: those that deny, or else those that allow. */
  readonly statements: readonly Statement[];
}

/** IAM's evaluation within one account: an explicit deny wins, then an allow; everything else is denied. */
export function evaluate(
  compiled: readonly CompiledStatement[],
  requirement: Requirement,
): Decision {
  const matching = compiled
    .filter(({ matches }) => matches(requirement))
    .map(({ statement }) => statement);
  const denials = matching.filter(({ Effect }) => Effect === "Deny");
  if (denials.length > 0) return { isAllowed: false, statements: denials };
  return { isAllowed: matching.length > 0, statements: matching };
}

/** Throws if the statement has an operator that is not one of `operators`. */
export function compile(statement: Statement): CompiledStatement {
  const action = anyOf(statement.Action.map(textPattern), "i");
  const resource = anyOf(statement.Resource.map(resourcePattern));
  const conditions = Object.entries(statement.Condition ?? {}).flatMap(([name, wanted = {}]) =>
    compileConditions(name, wanted),
  );
  return {
    statement,
    matches: (requirement) =>
      action.test(requirement.action) &&
      resource.test(requirement.resource) &&
      conditions.every((isMet) => isMet(requirement.context)),
  };
}

type IsMet = (context: Requirement["context"]) => boolean;

function compileConditions(name: string, wanted: Conditions): readonly IsMet[] {
  const operator = new Map(Object.entries(operators)).get(name);
  if (operator === undefined) throw new Error(`The condition operator ${name} is unknown.`);
  return Object.entries(wanted).map(([key, values]) => {
    const isMet = operator(values);
    return (context) => isMet(context[key]);
  });
}

type Values = readonly string[];
/** Receives the wanted values, then those of the call: undefined if it has no such key. */
type Operator = (wanted: Values) => (found: Values | undefined) => boolean;

type Compare = (wanted: Values) => (value: string) => boolean;

const equals: Compare = (wanted) => (value) => wanted.includes(value);
const like: Compare = (wanted) => matching(wanted.map(textPattern));
const arnLike: Compare = (wanted) => matching(wanted.map(arnPattern));

function matching(patterns: readonly string[]): (value: string) => boolean {
  const pattern = anyOf(patterns);
  return (value) => pattern.test(value);
}

function some(compare: Compare): Operator {
  return (wanted) => {
    const isWanted = compare(wanted);
    return (found = []) => found.some(isWanted);
  };
}

/** Matches a call without the key, because "for all" holds for no values. */
function all(compare: Compare): Operator {
  return (wanted) => {
    const isWanted = compare(wanted);
    return (found = []) => found.every(isWanted);
  };
}

function not(operator: Operator): Operator {
  return (wanted) => {
    const isMet = operator(wanted);
    return (found) => !isMet(found);
  };
}

function ifExists(operator: Operator): Operator {
  return (wanted) => {
    const isMet = operator(wanted);
    return (found) => found === undefined || isMet(found);
  };
}

/** A missing key matches only negated conditions, "IfExists" and "ForAllValues". */
const operators: Readonly<Record<OperatorName | "StringLike", Operator>> = {
  ArnLike: some(arnLike),
  ArnNotLike: not(some(arnLike)),
  Bool: some(equals),
  "ForAllValues:StringEquals": all(equals),
  "ForAllValues:StringLike": all(like),
  StringEquals: some(equals),
  StringEqualsIfExists: ifExists(some(equals)),
  // Not in the template. The policies for deployments have it (docs/policies), and their test evaluates them here.
  StringLike: some(like),
};

function anyOf(patterns: readonly string[], flags = ""): RegExp {
  return new RegExp(`^(?:${patterns.join("|")})$`, flags);
}

/** "*" matches any text, "?" one character. */
function textPattern(wanted: string): string {
  return wildcards(wanted, "[^]");
}

/** In a resource a "*" at the end of a part of its ARN also matches the parts after it. */
function resourcePattern(wanted: string): string {
  const parts = wanted.split(":").map((part, index) => {
    const character = index < 5 ? "[^:]" : "[^]";
    if (!part.endsWith("*")) return wildcards(part, character);
    return `${wildcards(part.slice(0, -1), character)}[^]*`;
  });
  return parts.join(":");
}

/** In a condition a wildcard matches only within its part of an ARN, except in the last one. */
function arnPattern(wanted: string): string {
  if (wanted === "*") return "[^]*";
  const parts = wanted.split(":");
  const heads = parts.slice(0, 5).map((part) => wildcards(part, "[^:]"));
  return [...heads, wildcards(parts.slice(5).join(":"), "[^]")].join(":");
}

function wildcards(wanted: string, character: string): string {
  return wanted
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", `${character}*`)
    .replaceAll("?", character);
}
