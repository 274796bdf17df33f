import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/emulator.ts";
import { StackError, type Template } from "./template.ts";

/** The results of Ref and Fn::GetAtt for a resource. */
export interface Identity {
  readonly ref: string;
  attribute(name: string): string | undefined;
}

interface ResolverOptions {
  readonly template: Template;
  readonly stackName: string;
  identify(logicalId: string): Identity;
}

export type Resolve = (value: unknown) => unknown;
type Intrinsic = (argument: unknown, options: ResolverOptions) => unknown;

/** Marks a property that AWS::NoValue removes. */
const noValue = Symbol("AWS::NoValue");

const name = z.string();
const list = z.array(z.unknown());
const intrinsics = new Map<string, Intrinsic>([
  ["Ref", (argument, options) => reference(name.parse(argument), options)],
  ["Fn::GetAtt", getAttribute],
  ["Fn::Join", join],
  ["Fn::Sub", substitute],
  ["Fn::Select", select],
  ["Fn::Split", split],
  ["Fn::If", choose],
]);

/** Replaces intrinsics with plain values. Throws a StackError that names an unknown intrinsic. */
export function createResolver(options: ResolverOptions): Resolve {
  return (value) => {
    const resolved = resolve(value, options);
    return resolved === noValue ? undefined : resolved;
  };
}

function resolve(value: unknown, options: ResolverOptions): unknown {
  if (typeof value === "string") return refuseDynamicReference(value);
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, options)).filter((item) => item !== noValue);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = Object.entries(value);
  const [first] = entries;
  if (first !== undefined && entries.length === 1 && isIntrinsic(first[0])) {
    return run(first[0], first[1], options);
  }
  const resolved = entries.map(([key, item]) => [key, resolve(item, options)] as const);
  return Object.fromEntries(resolved.filter(([, item]) => item !== noValue));
}

function isIntrinsic(key: string): boolean {
  return key === "Ref" || key.startsWith("Fn::");
}

function run(key: string, argument: unknown, options: ResolverOptions): unknown {
  const intrinsic = intrinsics.get(key);
  if (intrinsic === undefined) throw unknown(`The local stack does not know the intrinsic ${key}.`);
  try {
    return intrinsic(argument, options);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw unknown(`The local stack does not know this form: ${key} ${JSON.stringify(argument)}.`);
  }
}

function refuseDynamicReference(value: string): string {
  if (!value.includes("{{resolve:")) return value;
  throw unknown(`The local stack does not know the dynamic reference ${value}.`);
}

function reference(target: string, options: ResolverOptions): unknown {
  if (target.startsWith("AWS::")) return pseudoParameter(target, options.stackName);
  const parameter = options.template.Parameters[target];
  if (parameter === undefined) return options.identify(target).ref;
  if (parameter.Default === undefined) throw unknown(`The parameter ${target} has no default.`);
  return parameter.Default;
}

function pseudoParameter(target: string, stackName: string): unknown {
  switch (target) {
    case "AWS::Region":
      return localRegion;
    case "AWS::AccountId":
      return localAccountId;
    case "AWS::Partition":
      return "aws";
    case "AWS::URLSuffix":
      return "amazonaws.com";
    case "AWS::StackName":
      return stackName;
    case "AWS::StackId":
      return `arn:aws:cloudformation:${localRegion}:${localAccountId}:stack/${stackName}/local`;
    case "AWS::NoValue":
      return noValue;
    default:
      throw unknown(`The local stack does not know the pseudo parameter ${target}.`);
  }
}

function getAttribute(argument: unknown, options: ResolverOptions): string {
  const [target, ...path] =
    typeof argument === "string" ? argument.split(".") : z.array(name).min(2).parse(argument);
  const attribute = path.join(".");
  const value = options.identify(name.parse(target)).attribute(attribute);
  if (value !== undefined) return value;
  throw unknown(`The local stack does not know the attribute ${attribute} of ${target}.`);
}

function join(argument: unknown, options: ResolverOptions): string {
  const [separator, parts] = z.tuple([name, z.unknown()]).parse(argument);
  return texts(parts, options).join(separator);
}

function substitute(argument: unknown, options: ResolverOptions): string {
  const [pattern, own] =
    typeof argument === "string"
      ? [argument, {}]
      : z.tuple([name, z.record(z.string(), z.unknown())]).parse(argument);
  return pattern.replace(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, variable: string) => {
    if (literal === "!") return `\${${variable}}`;
    if (variable in own) return text(own[variable], options);
    return text(variable.includes(".") ? { "Fn::GetAtt": variable } : { Ref: variable }, options);
  });
}

function select(argument: unknown, options: ResolverOptions): unknown {
  const [index, items] = z.tuple([z.coerce.number().int(), z.unknown()]).parse(argument);
  const found = list.parse(resolve(items, options))[index];
  if (found === undefined) throw unknown(`Fn::Select finds nothing at ${index}.`);
  return found;
}

function split(argument: unknown, options: ResolverOptions): string[] {
  const [separator, whole] = z.tuple([name, z.unknown()]).parse(argument);
  return text(whole, options).split(separator);
}

function choose(argument: unknown, options: ResolverOptions): unknown {
  const [condition, yes, no] = z.tuple([name, z.unknown(), z.unknown()]).parse(argument);
  const resolver = (value: unknown) => resolve(value, options);
  const chosen = evaluateCondition(condition, options.template, resolver) ? yes : no;
  return resolve(chosen, options);
}

function texts(items: unknown, options: ResolverOptions): string[] {
  return list.parse(resolve(items, options)).map((item) => text(item, options));
}

function text(value: unknown, options: ResolverOptions): string {
  return String(z.union([name, z.number(), z.boolean()]).parse(resolve(value, options)));
}

function unknown(message: string): StackError {
  return new StackError("local-intrinsic-unknown", message);
}

const form = z.union([
  z.strictObject({ Condition: z.string() }),
  z.strictObject({ "Fn::Equals": z.tuple([z.unknown(), z.unknown()]) }),
  z.strictObject({ "Fn::And": z.array(z.unknown()).min(1) }),
  z.strictObject({ "Fn::Or": z.array(z.unknown()).min(1) }),
  z.strictObject({ "Fn::Not": z.tuple([z.unknown()]) }),
]);

/** Evaluates a condition of the template by its name. */
export function evaluateCondition(
  name: string,
  template: Template,
  resolve: (value: unknown) => unknown,
): boolean {
  const condition = template.Conditions[name];
  const evaluate = (value: unknown): boolean => {
    const parsed = form.safeParse(value);
    if (!parsed.success) throw unknownForm(name, value);
    const { data } = parsed;
    if ("Condition" in data) return evaluateCondition(data.Condition, template, resolve);
    if ("Fn::And" in data) return data["Fn::And"].every(evaluate);
    if ("Fn::Or" in data) return data["Fn::Or"].some(evaluate);
    if ("Fn::Not" in data) return !evaluate(data["Fn::Not"][0]);
    const [left, right] = data["Fn::Equals"];
    return resolve(left) === resolve(right);
  };
  return evaluate(condition);
}

function unknownForm(name: string, value: unknown): StackError {
  return new StackError(
    "local-intrinsic-unknown",
    `The local stack does not know this form of the condition ${name}: ${JSON.stringify(value)}.`,
  );
}
