/** A field of two JSON values. `left` and `right` are its value as text; undefined if it is not there. */
export interface ComparedField {
  /** "data.order.status", "data.flags[0]" */
  readonly path: string;
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly isSame: boolean;
}

/** Every field of two JSON values, in the order of the first, then what only the second has. */
export function compareFields(one: unknown, other: unknown): ComparedField[] {
  const [lefts, rights] = [fieldsOf(one), fieldsOf(other)];
  const paths = new Set([...lefts.keys(), ...rights.keys()]);
  return [...paths].map((path) => {
    const [left, right] = [lefts.get(path), rights.get(path)];
    return { path, left, right, isSame: left === right };
  });
}

/** The leaves by their path. An empty object or list is a leaf too. */
function fieldsOf(value: unknown, path = ""): Map<string, string> {
  const isNode = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isNode) return new Map([[path, typeof value === "string" ? value : JSON.stringify(value)]]);
  const isList = Array.isArray(value);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => {
      const step = isList ? `[${name}]` : path === "" ? name : `.${name}`;
      return [...fieldsOf(inner, `${path}${step}`)];
    }),
  );
}
