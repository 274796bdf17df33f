/** The part of JSON Schema that the events use. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly not?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** By `$ref`. */
type Shapes = Readonly<Record<string, Shape>>;

/**
 * Returns a JSON pointer such as `/data/order/status` to the first place where a value differs from a shape, or undefined.
 * Unknown fields are accepted. The pointer contains names of the shape and positions, nothing of the value.
 */
export function findFault(
  value: unknown,
  shape: Shape,
  shapes: Shapes,
  at = "",
): string | undefined {
  if (!isAllowed(value, shape)) return at === "" ? "/" : at;
  const named = shape.$ref === undefined ? undefined : shapes[shape.$ref];
  const fault = named && findFault(value, named, shapes, at);
  if (fault !== undefined) return fault;
  if (shape.not && findFault(value, shape.not, shapes) === undefined) return at;
  if (shape.anyOf?.every((alternative) => findFault(value, alternative, shapes, at) !== undefined))
    return at;
  return faultInItems(value, shape, shapes, at) ?? faultInFields(value, shape, shapes, at);
}

function isAllowed(value: unknown, shape: Shape): boolean {
  if (shape.const !== undefined) return value === shape.const;
  if (shape.enum !== undefined) return shape.enum.some((allowed) => allowed === value);
  switch (shape.type) {
    case "string":
      return typeof value === "string" && isText(value, shape);
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    default:
      return true;
  }
}

function isText(text: string, { pattern, minLength = 0 }: Shape): boolean {
  return text.length >= minLength && (pattern === undefined || new RegExp(pattern, "u").test(text));
}

function faultInItems(value: unknown, { items }: Shape, shapes: Shapes, at: string) {
  if (items === undefined || !Array.isArray(value)) return undefined;
  for (const [index, item] of value.entries()) {
    const fault = findFault(item, items, shapes, `${at}/${index}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultInFields(value: unknown, shape: Shape, shapes: Shapes, at: string) {
  if (!isFields(value)) return undefined;
  const missing = shape.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}/${missing}`;
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    const fault = findFault(value[name], field, shapes, `${at}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
