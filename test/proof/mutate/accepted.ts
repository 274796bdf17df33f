import type { Measured } from "../measured.ts";
import type { Mutant } from "./journal.ts";

/** What docs/proof/mutation.json tells of a folder. */
export interface MutationScore extends Measured {
  readonly score: number;
  readonly mutants: number;
  /** Noticed because a test did not end, such as a loop without an end. */
  readonly timeouts: number;
  readonly survivors: number;
  /** How many survivors each reason covers. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly unread: number;
}

/** Survivors that somebody has read, and why they do not matter. */
interface Accepted {
  readonly folder: string;
  readonly reason: string;
  readonly matches: (mutant: Mutant) => boolean;
}

/** Each change of these texts. */
const code =
  (...texts: string[]) =>
  (mutant: Mutant) =>
    texts.some((text) => mutant.code.startsWith(text));

/** A sentence in an error: people read it, and no code does. */
const isSentence = (mutant: Mutant) => /^[`"][A-Z].*\.[`"]$/s.test(mutant.code);

export const accepted: readonly Accepted[] = [
  { folder: "records", reason: "the words of an error", matches: isSentence },
  {
    folder: "records",
    reason: "exactly as large as is allowed: a byte more or less",
    matches: code("text.length <= mostEventBytes", "itemBytes(record) <= mostItemBytes"),
  },
  {
    folder: "delivery",
    reason: "a silence of exactly that many milliseconds",
    matches: code("now() - known.last <= longestSilence"),
  },
  {
    folder: "delivery",
    reason: "the limits of the SQS client: tests on the bundles hold them, with a queue that hangs",
    matches: code("{ connectionTimeout: 400", "{\n  return new SQSClient", "true"),
  },
  { folder: "receiving", reason: "the words of an error", matches: isSentence },
  {
    folder: "receiving",
    reason:
      "the answers are made once, when the module is loaded: in no test's coverage, but receive-callback.test.ts compares each of them",
    matches: code(
      ...['"not stored, send', '"not a callback', '"not authentic"', '"not from', '"over 256'],
      ...['""', "{ code, msg }", '{ "content-type"', '"application/json"', "{\n    statusCode"],
      ...["{\n  return {\n    statusCode", '{\n  "not-an-envelope": answer'],
    ),
  },
  {
    folder: "receiving",
    reason:
      "a timer that goes on changes nothing after the race; it only keeps a test alive longer",
    matches: code("clearTimeout(timer)", "{\n    clearTimeout(timer)"),
  },
  {
    folder: "receiving",
    reason: "more digits of the hash: the place is another one of the same three",
    matches: code('hash("sha256", body).slice'),
  },
];
