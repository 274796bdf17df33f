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
  if (!/^[0-9a-f-]{1,40}$/.test(wanted)) throw notFound(notAnId);
  if (wanted.length < shortestPrefix) {
    throw notFound(`Give at least ${shortestPrefix} characters of the id.`);
  }
  const [found, ...more] = things.filter((thing) => idOf(thing).startsWith(wanted));
  if (found === undefined) throw notFound(`Nothing was found with the id ${wanted}.`);
  if (more.length === 0) return found;
  throw new PaycastError(
    "ambiguous-id",
    `${more.length + 1} ids begin with ${wanted}. Give more characters.`,
  );
}

/** It is not repeated: it may be anything. */
const notAnId =
  "This is not an id. An id has digits, the letters a to f and dashes, as the list shows it.";

function notFound(message: string): PaycastError {
  return new PaycastError("not-found", message);
}
