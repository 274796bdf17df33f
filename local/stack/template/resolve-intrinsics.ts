import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/emulator.ts";
import { StackError } from "./template.ts";

/** The results of Ref and Fn::GetAtt for a resource. */
export interface Identity {
  readonly ref: string;
  attribute(name: string): string | undefined;
}

export type Resolve = (value: unknown) => unknown;

/** The forms that CDK writes into Paycast's template. */
const intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) }),
  z.strictObject({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) }),
]);
type Intrinsic = z.output<typeof intrinsic>;

const pseudoParameters = new Map([
  ["AWS::AccountId", localAccountId],
  ["AWS::Partition", "aws"],
  ["AWS::Region", localRegion],
]);

/** Replaces intrinsics with plain values. Throws a StackError that names an intrinsic of another form. */
export function createResolver(identify: (logicalId: string) => Identity): Resolve {
  const reference = (target: string) =>
    target.startsWith("AWS::") ? pseudoParameters.get(target) : identify(target).ref;
  const run = (form: Intrinsic): string | undefined => {
    if ("Ref" in form) return reference(form.Ref);
    if ("Fn::Join" in form) {
      const [separator, parts] = form["Fn::Join"];
      return z.array(z.string()).parse(resolve(parts)).join(separator);
    }
    const [target, attribute] = form["Fn::GetAtt"];
    return identify(target).attribute(attribute);
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value === "string" && value.includes("{{resolve:")) throw unknown(value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    if (!entries.some(([key]) => key === "Ref" || key.startsWith("Fn::"))) {
      return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item)]));
    }
    const { data } = intrinsic.safeParse(value);
    const resolved = data && run(data);
    if (resolved === undefined) throw unknown(JSON.stringify(value));
    return resolved;
  };
  return resolve;
}

function unknown(value: string): StackError {
  return new StackError("local-intrinsic-unknown", `The local stack does not know ${value}.`);
}
