import { PaycastError } from "../../shared/paycast-error.ts";

/** Shorter beginnings are refused: they are more likely a slip than a choice. */
const shortestPrefix = 4;

/** The one thing whose id begins with the prefix. Throws `not-found` or `ambiguous-id`. */
export function chooseByPrefix<T>(
  things: readonly T[],
  prefix: string,
  idOf: (thing: T) => string,
): T {
  const wanted = prefix.toLowerCase();
  const [found, ...more] = things.filter((thing) => idOf(thing).startsWith(wanted));
  const shown = /^[0-9a-f-]{1,40}$/.test(wanted) ? wanted : "that is not an id";
  if (found === undefined || wanted.length < shortestPrefix) {
    const rule =
      wanted.length < shortestPrefix ? ` Give at least ${shortestPrefix} characters.` : "";
    throw new PaycastError("not-found", `Nothing was found with the id ${shown}.${rule}`);
  }
  if (more.length === 0) return found;
  throw new PaycastError(
    "ambiguous-id",
    `${more.length + 1} ids begin with ${shown}. Give more characters.`,
  );
}
