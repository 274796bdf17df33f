import { priceOf, type Usage } from "./meter.ts";

/** One line of the table of docs/cost.md. */
export interface Row {
  readonly what: string;
  readonly subscribers: string;
  readonly numbers: readonly number[];
}

/** API requests, Lambda calls, SQS requests, write units, read units, log bytes, dollars for a million. */
export function rowOf(what: string, subscribers: string, usage: Usage): Row {
  const { apiRequests, invocations, writeUnits, readUnits, logBytes } = usage;
  const requests = usage.fifoRequests + usage.standardRequests;
  const dollars = Number((priceOf(usage) * 1e6).toFixed(2));
  const numbers = [apiRequests, invocations, requests, writeUnits, readUnits, logBytes, dollars];
  return { what, subscribers, numbers };
}

export function writeRow({ what, subscribers, numbers }: Row): string {
  return `| ${[what, subscribers, ...numbers].join(" | ")} |`;
}

/** The rows of the document whose second cell says for how many subscribers they are. */
export function readRows(markdown: string): Row[] {
  return markdown
    .split("\n")
    .filter((line) => /^\| [^|]+ \| (\d+|any) \| \d/.test(line))
    .map((line) => {
      const [what = "", subscribers = "", ...numbers] = line.slice(2, -2).split(" | ");
      return { what, subscribers, numbers: numbers.map(Number) };
    });
}
