/** A metric math expression. It supports only what the template uses: any other function is an error. */
export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "metric"; readonly id: string }
  | { readonly kind: "fill"; readonly of: Expression; readonly value: number }
  | { readonly kind: "if"; readonly parts: readonly [Expression, Expression, Expression] }
  | {
      readonly kind: "operation";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** From the lowest to the highest precedence. Operators on one line have the same precedence. */
const operators = [
  ["==", "!=", "<=", ">=", "<", ">"],
  ["+", "-"],
  ["*", "/"],
] as const;

export type Operator = (typeof operators)[number][number];

/** The remaining tokens. */
interface Rest {
  readonly tokens: string[];
  readonly text: string;
}

/** Throws if the text contains anything that the local evaluation does not support. */
export function parseExpression(text: string): Expression {
  const rest = { tokens: tokensOf(text), text };
  const expression = readOperation(rest, 0);
  if (rest.tokens.length > 0) throw unknown(rest, rest.tokens[0]);
  return expression;
}

function tokensOf(text: string): string[] {
  const token = /\s*([A-Za-z_]\w*|\d+(?:\.\d+)?|==|!=|<=|>=|[<>+\-*/(),])/y;
  const tokens: string[] = [];
  while (token.lastIndex < text.trimEnd().length) {
    const { lastIndex } = token;
    const found = token.exec(text);
    if (found?.[1] === undefined) throw unknown({ tokens, text }, text.slice(lastIndex).trim()[0]);
    tokens.push(found[1]);
  }
  return tokens;
}

function readOperation(rest: Rest, strength: number): Expression {
  const known = operators[strength];
  if (known === undefined) return readOperand(rest);
  let left = readOperation(rest, strength + 1);
  for (;;) {
    const operator = known.find((symbol) => symbol === rest.tokens[0]);
    if (operator === undefined) return left;
    rest.tokens.shift();
    left = { kind: "operation", operator, left, right: readOperation(rest, strength + 1) };
  }
}

function readOperand(rest: Rest): Expression {
  const token = rest.tokens.shift() ?? "";
  if (/^\d/.test(token)) return { kind: "number", value: Number(token) };
  // CloudWatch's rule: the id of a metric begins with a lowercase letter.
  if (/^[a-z]/.test(token)) return { kind: "metric", id: token };
  if (token === "(") return readInBrackets(rest);
  if (token === "FILL") return readFill(rest);
  if (token === "IF") return readIf(rest);
  throw unknown(rest, token);
}

function readInBrackets(rest: Rest): Expression {
  const inside = readOperation(rest, 0);
  expect(rest, ")");
  return inside;
}

function readFill(rest: Rest): Expression {
  const [of, value] = readArguments(rest, 2);
  if (of === undefined || value?.kind !== "number") throw unknown(rest, "FILL without a number");
  return { kind: "fill", of, value: value.value };
}

function readIf(rest: Rest): Expression {
  const [condition, then, otherwise] = readArguments(rest, 3);
  if (condition === undefined || then === undefined || otherwise === undefined) {
    throw unknown(rest, "IF without three arguments");
  }
  return { kind: "if", parts: [condition, then, otherwise] };
}

function readArguments(rest: Rest, count: number): Expression[] {
  expect(rest, "(");
  const read = [readOperation(rest, 0)];
  while (rest.tokens[0] === "," && read.length < count) {
    rest.tokens.shift();
    read.push(readOperation(rest, 0));
  }
  expect(rest, ")");
  return read;
}

function expect(rest: Rest, token: string): void {
  const found = rest.tokens.shift();
  if (found !== token) throw unknown(rest, found);
}

function unknown({ text }: Rest, part: string | undefined): Error {
  const what = part === undefined || part === "" ? "its end" : part;
  return new Error(`The local stack cannot evaluate the metric math ${text}: ${what}`);
}

/** The ids of the metrics that an expression reads. */
export function metricsIn(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case "number":
      return [];
    case "metric":
      return [expression.id];
    case "fill":
      return metricsIn(expression.of);
    case "if":
      return expression.parts.flatMap(metricsIn);
    case "operation":
      return [expression.left, expression.right].flatMap(metricsIn);
  }
}
