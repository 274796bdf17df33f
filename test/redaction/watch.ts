import { expect } from "vitest";
import { outcomes, outsideFields } from "../../shared/telemetry/log-line.ts";
import type { Instance } from "../integration/instance.ts";
import type { Canaries, Kind } from "./canary.ts";

type Line = Readonly<Record<string, unknown>>;
type InvokeResult = Awaited<ReturnType<Instance["invoke"]>>;

export type Watch = ReturnType<typeof createWatch>;

/** Looks for canaries in all that functions write and answer, and remembers which lines it has seen. */
export function createWatch(canaries: Canaries) {
  const leaks: string[] = [];
  const seen: Line[] = [];
  const problems = new Set<string>();
  const read = new Map<Instance, number>();
  const note = (where: string, text: string, allowed: readonly Kind[] = []) => {
    for (const place of canaries.find(text, allowed))
      leaks.push(`${place} is in ${where}: ${text}`);
  };
  const lookAtLine = (line: string) => {
    const fields: Line = JSON.parse(line);
    const isOutside = ([name]: [string, unknown]) =>
      (outsideFields as readonly string[]).includes(name);
    const entries = Object.entries(fields);
    note("a line", JSON.stringify(entries.filter((entry) => !isOutside(entry))));
    note("the ids of a line", JSON.stringify(entries.filter(isOutside)), ["id"]);
    seen.push(fields);
  };
  return {
    /** All that the instance has written since the last look. Without a line, nothing would be tested. */
    lines: (instance: Instance): void => {
      const written = instance.lines.slice(read.get(instance) ?? 0);
      expect(written, "lines since the last look").not.toEqual([]);
      for (const line of written) lookAtLine(line);
      read.set(instance, instance.lines.length);
    },
    /** What a call ended in: Lambda logs what a function throws, and the sender gets what it answers. */
    outcome: (outcome: InvokeResult): void => {
      if (outcome.kind === "threw") note("an error", outcome.reason);
      if (outcome.kind !== "returned") return;
      noteAnswer(outcome.value, note);
      const [, problem] = /urn:paycast:problem:([a-z-]+)/.exec(JSON.stringify(outcome.value)) ?? [];
      if (problem !== undefined) problems.add(problem);
    },
    /** The kinds of problem documents that were answered. */
    problems,
    seen: (wanted: Line): Line[] =>
      seen.filter((line) => Object.entries(wanted).every(([name, value]) => line[name] === value)),
    expectNoLeak: (): void => expect([...new Set(leaks.splice(0))].slice(0, 5)).toEqual([]),
    /** Fails if the function can write a line of a kind that has not been looked at. */
    expectAllOutcomes: (
      service: keyof typeof outcomes,
      elsewhere: readonly string[] = [],
    ): void => {
      // A line without an outcome only counts something at another time.
      const lines = seen.filter((line) => line["service"] === service && "outcome" in line);
      const found = new Set(lines.map(outcomeOf));
      const wanted = outcomes[service].filter((outcome) => !elsewhere.includes(outcome));
      expect([...found].filter((outcome) => !elsewhere.includes(String(outcome))).sort()).toEqual(
        wanted.sort(),
      );
    },
  };
}

function outcomeOf({ outcome }: Line): unknown {
  return outcome;
}

/** An order as it stands is what its caller asked for. Everything else may only name the field that is wrong. */
function noteAnswer(
  value: unknown,
  note: (where: string, text: string, allowed?: readonly Kind[]) => void,
): void {
  const { statusCode, headers, body } = (value ?? {}) as {
    statusCode?: number;
    headers?: object;
    body?: string;
  };
  if (statusCode === undefined || body === undefined) return;
  const isView = statusCode < 400 && !body.includes('"code":20000');
  if (!isView) note("an answer", `${JSON.stringify(headers)} ${body}`, ["name", "words"]);
}
