import * as z from "zod";
import { StackError, type Template } from "./template.ts";

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
