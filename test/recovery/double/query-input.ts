/** What a call of a query protocol holds. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK of the CDK command made it.
export type QueryInput = Record<string, any>;

/** `ResourcesToImport.member.1.ResourceType=x` as lists and objects; a map is a list of keys and values. */
export function readQuery(form: Readonly<Record<string, unknown>>): QueryInput {
  const root: QueryInput = {};
  for (const [path, value] of Object.entries(form)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let place = root;
    for (const name of names) place = place[name] ??= {};
    place[last] = value;
  }
  return unfold(root);
}

function unfold(value: QueryInput): QueryInput {
  if (typeof value !== "object") return value;
  if ("member" in value) return Object.values<QueryInput>(value["member"]).map(unfold);
  if ("entry" in value) {
    const entries = Object.values<QueryInput>(value["entry"]);
    return Object.fromEntries(entries.map(({ key, value: inner }) => [key, inner]));
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unfold(inner)]));
}
