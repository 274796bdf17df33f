import type * as z from "zod/mini";

/**
 * Turns what a schema found wrong into sentences that name the field and what is allowed there. The
 * value itself is never printed: it may be a key, or something a stranger sent.
 */
export function describeIssues(error: z.core.$ZodError, root = "value"): string {
  const sentences = error.issues
    .slice(0, mostIssues)
    .map((issue) => `${fieldName(issue.path, root)} ${describeIssue(issue)}`);
  const left = error.issues.length - sentences.length;
  return [...sentences, ...(left > 0 ? [`and ${left} more`] : [])].join("; ");
}

/** A stranger decides how much is wrong; the log line stays short. */
const mostIssues = 8;

/** Names come from strangers too: only what looks like a name is repeated. */
function fieldName(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path
    .map((step) => (/^[\w-]{1,40}$/.test(String(step)) ? String(step) : "(a field)"))
    .join(".");
}

/** What is wrong at the issue's place, as a predicate: "must be …". */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (ourOwn.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys.map((key) => fieldName([key], key)).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      // A default message of zod/mini says nothing.
      return issue.message === "Invalid input" ? "is not valid" : issue.message;
  }
}

/** A message of ours is a full predicate, and knows more of the field than the kind of its fault. */
const ourOwn = /^must /;

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" || origin === "set" ? " entries long" : "";
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
