import type * as z from "zod/mini";

/**
 * Turns a schema's issues into sentences that name the field and what is allowed there. The value is never included: it
 * may be a key, or untrusted input.
 */
export function describeIssues(error: z.core.$ZodError, root = "value"): string {
  const describe = (issue: z.core.$ZodIssue) =>
    `${fieldName(issue.path, root)} ${describeIssue(issue)}`;
  return listSome(error.issues, describe, "; ");
}

/** Untrusted input can have any number of faults, but a log line must stay short. */
const mostListed = 8;

function listSome<T>(items: readonly T[], describe: (item: T) => string, separator: string) {
  const listed = items.slice(0, mostListed).map(describe);
  const unlisted = items.length - listed.length;
  return [...listed, ...(unlisted > 0 ? [`and ${unlisted} more`] : [])].join(separator);
}

/** Names may be untrusted too, so only text that looks like a name is included. */
function fieldName(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path
    .map((step) => (/^[\w-]{1,40}$/.test(String(step)) ? String(step) : "(a field)"))
    .join(".");
}

/** What is wrong with the field, as a predicate: "must be …". */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (ourOwn.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case "unrecognized_keys":
      return `has unknown fields: ${listSome(issue.keys, (key) => fieldName([key], key), ", ")}`;
    case "too_small":
      return describeBound(`at least ${issue.minimum}`, issue.origin);
    case "too_big":
      return describeBound(`at most ${issue.maximum}`, issue.origin);
    default:
      // The default message of zod/mini says nothing about the fault.
      return issue.message === "Invalid input" ? "is not valid" : issue.message;
  }
}

/** Messages of our own schemas say more than the kind of issue. They all start like this. */
const ourOwn = /^must /;

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

function describeBound(bound: string, origin: string): string {
  if (origin === "string") return `must be ${bound} characters long`;
  if (origin !== "array" && origin !== "set") return `must be ${bound}`;
  return `must have ${bound} ${/ 1$/.test(bound) ? "entry" : "entries"}`;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
