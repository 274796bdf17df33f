/** As much of IAM's rules as the documented policies use. */

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>;
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
  const matching = Statement.filter((statement) => matches(statement, call));
  return matching.length > 0 && matching.every(({ Effect }) => Effect === "Allow");
}

function matches({ Action, Resource, Condition = {} }: Statement, call: Call): boolean {
  const { action, resource = "*", context = {} } = call;
  const conditions = Object.values(Condition).flatMap((tests) => Object.entries(tests));
  return (
    isLike(Action, action) &&
    isLike(Resource, resource) &&
    conditions.every(([key, values]) => isLike(values, context[key] ?? ""))
  );
}

function isLike(patterns: string | readonly string[], text: string): boolean {
  return [patterns].flat().some((pattern) => {
    const literal = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${literal.join(".*")}$`).test(text);
  });
}
