import * as z from "zod";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";

/** What the intrinsics of a template refer to. Undefined where it is not known. */
export interface References {
  /** What Ref gives for a resource, a parameter or a pseudo parameter. */
  readonly refOf: (name: string) => string | undefined;
  /** What Fn::GetAtt gives. */
  readonly attributeOf: (logicalId: string, attribute: string) => string | undefined;
}

export type Resolve = (value: unknown) => unknown;

const name = z.string();
const intrinsic = z.union([
  z.strictObject({ Ref: name }),
  z.strictObject({ "Fn::GetAtt": z.tuple([name, name]) }),
  z.strictObject({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) }),
  z.strictObject({ "Fn::Sub": z.string() }),
]);
type Intrinsic = z.output<typeof intrinsic>;

/** Replaces intrinsics with plain values. Throws `template-unresolved` with what it cannot resolve. */
export function createResolver({ refOf, attributeOf }: References): Resolve {
  const run = (form: Intrinsic): string | undefined => {
    if ("Ref" in form) return refOf(form.Ref);
    if ("Fn::GetAtt" in form) return attributeOf(...form["Fn::GetAtt"]);
    if ("Fn::Sub" in form) return substituted(form["Fn::Sub"], { refOf, attributeOf });
    const [separator, parts] = form["Fn::Join"];
    return z.array(z.string()).parse(resolve(parts)).join(separator);
  };
  const resolve: Resolve = (value) => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value === "string" && value.includes("{{resolve:")) throw unresolved(value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    if (!entries.some(([key]) => key === "Ref" || key.startsWith("Fn::"))) {
      return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item)]));
    }
    const { data } = intrinsic.safeParse(value);
    const resolved = data && run(data);
    if (resolved === undefined) throw unresolved(JSON.stringify(value));
    return resolved;
  };
  return resolve;
}

/** "${Name}" and "${Name.Attribute}"; "${!Name}" is the text "${Name}". */
function substituted(text: string, { refOf, attributeOf }: References): string | undefined {
  let isComplete = true;
  const result = text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, inner: string) => {
    if (literal !== "") return `\${${inner}}`;
    const [logicalId = "", ...attribute] = inner.split(".");
    const value =
      attribute.length === 0 ? refOf(inner) : attributeOf(logicalId, attribute.join("."));
    if (value === undefined) isComplete = false;
    return value ?? "";
  });
  return isComplete ? result : undefined;
}

function unresolved(value: string): PaycastError {
  const message = `The template has ${value}, and nothing here says what that is.`;
  return new PaycastError("template-unresolved", message);
}
