import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";

/** Fields of an operation's input. `placeholder` is the value's name in the help of the command. */

export function text(description: string, placeholder: string) {
  return z.string().min(1).max(256).optional().meta({ description, placeholder });
}

/** A text that may be given several times. */
export function texts(description: string, placeholder: string) {
  return z
    .array(z.string().min(1).max(256))
    .max(1_000)
    .default([])
    .meta({ description, placeholder });
}

export function flag(description: string) {
  return z.boolean().default(false).meta({ description });
}

/** In place of ids: everything that a list shows. */
export function allRows(description: string) {
  return z.boolean().default(false).meta({ description, fromRows: "all" });
}

/** A field that few people need. A form shows it on demand. */
export function rare<Field extends z.ZodType>(field: Field): Field {
  return field.meta({ ...field.meta(), isRare: true });
}

export function wholeNumber(description: string, usual: number, least = 1, most = 999_999) {
  return z.coerce
    .number("must be a whole number")
    .int("must be a whole number")
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)
    .default(usual)
    .meta({ description: `${description}, ${usual} if not given`, placeholder: "N" });
}

export function choice<const Values extends readonly string[]>(
  description: string,
  values: Values,
) {
  return z
    .enum(values)
    .optional()
    .meta({ description, placeholder: values.join("|") });
}

/** What a file of keys holds. A command line names the file, because a shell keeps what is typed in its history. */
export function keyFile(description: string) {
  return z.string().optional().meta({ description, placeholder: "FILE", isKeyFile: true });
}

/** A text that is too long for a command line, which names a file, or standard input. */
export function inputFile(description: string) {
  return z.string().meta({ description, placeholder: "FILE", isInputFile: true });
}

/** A time as people write it, as RFC 3339. */
export function time(description: string, end: RangeEnd) {
  return z
    .string()
    .transform((written, context) => {
      const milliseconds = parseTime(written, end, Date.now());
      if (milliseconds !== undefined) return toRfc3339(milliseconds);
      context.addIssue({ code: "custom", message: `must be a time: ${timeForms}` });
      return z.NEVER;
    })
    .optional()
    .meta({ description, placeholder: "TIME" });
}

/** A rule about several fields. `faultOf` says what is wrong as a predicate, such as "must have ids". */
export function withRule<Input extends z.ZodObject>(
  input: Input,
  faultOf: (asked: z.output<Input>) => string | undefined,
): Input {
  return input.superRefine((asked, { addIssue }) => {
    const message = faultOf(asked);
    if (message !== undefined) addIssue({ code: "custom", message });
  });
}

/** Shorter prefixes are rejected: they are more likely a mistake. */
const anId = z.string().min(4, "must have at least 4 characters").max(100);

/** Ids, or beginnings of ids, as a list has them. */
export const ids = z.array(anId).max(1_000).default([]).meta({
  description: "ids that list prints, or their first characters",
  placeholder: "ID",
  fromRows: "chosen",
});

export const id = anId.meta({
  description: "an id that list prints, or its first characters",
  placeholder: "ID",
  fromRows: "one",
});

/** The one thing whose id begins with the prefix. Throws `not-found` or `ambiguous-id`. */
export function chooseByPrefix<T>(
  things: readonly T[],
  prefix: string,
  idOf: (thing: T) => string,
): T {
  const wanted = prefix.toLowerCase();
  if (!/^[0-9a-f-]{1,40}$/.test(wanted)) throw new PaycastError("not-found", notAnId);
  const [found, ...more] = things.filter((thing) => idOf(thing).startsWith(wanted));
  if (found === undefined) {
    throw new PaycastError("not-found", `Nothing was found with the id ${wanted}.`);
  }
  if (more.length === 0) return found;
  throw new PaycastError(
    "ambiguous-id",
    `${more.length + 1} ids begin with ${wanted}. Give more characters.`,
  );
}

/** It is not repeated: it may be anything. */
const notAnId =
  "This is not an id. An id has digits, the letters a to f and dashes, as the list shows it.";

const unitMilliseconds: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A date as the beginning of a range is its first moment, as the end of a range its last one. */
export type RangeEnd = "since" | "until";

/** The forms of a time in an option. */
export const timeForms =
  "2026-11-15T09:30:00Z, a date like 2026-11-15 (UTC), or how long ago, like 90m, 3h or 2d";

/** Parses a time, in milliseconds since 1970; undefined if it is none. */
export function parseTime(
  text: string,
  end: RangeEnd,
  nowMilliseconds: number,
): number | undefined {
  const time = readAge(text, nowMilliseconds) ?? readDate(text, end) ?? readRfc3339(text);
  return time !== undefined && time >= 0 ? time : undefined;
}

function readAge(text: string, nowMilliseconds: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const milliseconds = unitMilliseconds[unit ?? ""];
  return milliseconds && nowMilliseconds - Number(count) * milliseconds;
}

function readDate(text: string, end: RangeEnd): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  return validTime(`${text}T${end === "since" ? "00:00:00.000" : "23:59:59.999"}Z`, text);
}

function readRfc3339(text: string): number | undefined {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return date === undefined ? undefined : validTime(text, date);
}

/** JavaScript reads February 30 as March 2. */
function validTime(text: string, date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const time = isDay ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
