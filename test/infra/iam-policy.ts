import { compile, evaluate } from "../../tools/local/permissions/evaluate.ts";
import type { Conditions } from "../../tools/local/permissions/policy.ts";

type OneOrMore = string | readonly string[];

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: OneOrMore;
  readonly Resource: OneOrMore;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMore>>>>;
}

export interface Policy {
  readonly Statement: readonly Statement[];
}

export interface Call {
  readonly action: string;
  /** `*` for what only a statement about all resources covers. */
  readonly resource?: string;
  readonly context?: Readonly<Record<string, string>>;
}

/** Something allows the call, and nothing denies it. */
export function allows({ Statement }: Policy, call: Call): boolean {
  const { action, resource = "*", context = {} } = call;
  const compiled = Statement.map(({ Effect, Action, Resource, Condition = {} }) =>
    compile({
      Effect,
      Action: [Action].flat(),
      Resource: [Resource].flat(),
      Condition: mapValues(
        Condition,
        (keys): Conditions => mapValues(keys, (wanted) => [wanted].flat()),
      ),
    }),
  );
  const values = mapValues(context, (value) => [value]);
  return evaluate(compiled, { action, resource, context: values }).isAllowed;
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
