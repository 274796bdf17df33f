import { parseJson } from "../../../../shared/json/parse-json.ts";
import type { AwsRequest } from "./aws-protocol.ts";
import { receiverLogGroup } from "./described-stack.ts";

/** A page ends after some lines, so that a reader must go on. */
const linesPerPage = 50;

type Fields = Readonly<Record<string, unknown>>;

/** What FilterLogEvents answers. A line without a service or a time is in every log group, and at every time. */
export function filteredLines(input: AwsRequest["input"], logLines: readonly string[]): object {
  const { startTime, startFromHead, logGroupName, filterPattern, nextToken = "0" } = input;
  const { endTime = Number.POSITIVE_INFINITY } = input;
  const label =
    logGroupName === receiverLogGroup
      ? "receive-callback"
      : String(logGroupName).replace(/-logs$/, "");
  const inRange = logLines
    .map((message) => ({ message, fields: (parseJson(message) ?? {}) as Fields }))
    .filter(({ fields: { service = label, timestamp = startTime } }) => {
      const time = Number(timestamp);
      return service === label && time >= Number(startTime) && time <= Number(endTime);
    });
  const ordered = startFromHead === false ? inRange.reverse() : inRange;
  const start = Number(nextToken);
  const events = ordered
    .slice(start, start + linesPerPage)
    .filter(({ message, fields }) => isMatch(String(filterPattern), message, fields))
    .map(({ message, fields }) => ({ message: `${message}\n`, timestamp: fields["timestamp"] }));
  const isEnd = start + linesPerPage >= ordered.length;
  return { events, ...(!isEnd && { nextToken: String(start + linesPerPage) }) };
}

/** Terms with a question mark mean any of them. In braces: "(a || b) && (c || d)" about the fields of the line. */
function isMatch(pattern: string, message: string, fields: Fields): boolean {
  if (!pattern.startsWith("{")) {
    const terms = [...pattern.matchAll(/\?"([^"]*)"/g)].map(([, term]) => term!);
    return terms.some((term) => message.includes(term));
  }
  const all = pattern.slice(1, -1).split(" && ");
  return all.every((any) => any.split(" || ").some((condition) => isTrue(condition, fields)));
}

function isTrue(condition: string, fields: Fields): boolean {
  const read = /\$\.(\w+) (>=|>|<|=) (?:"(\*?)([^"]*)"|(\d+))/.exec(condition);
  if (read === null) throw new Error(`Not a condition that CloudWatch Logs knows: ${condition}`);
  const [, name = "", comparison, star, text, digits] = read;
  const value = fields[name];
  if (value === undefined) return false;
  if (digits === undefined) return star === "*" ? String(value).endsWith(text!) : value === text;
  const [left, right] = [Number(value), Number(digits)];
  if (comparison === "=") return left === right;
  if (comparison === "<") return left < right;
  return comparison === ">" ? left > right : left >= right;
}

/** What CloudWatch answers: one value, in the last minute that is asked for. Nothing was counted of other metrics. */
export function metricData(
  { MetricDataQueries, EndTime }: AwsRequest["input"],
  { metrics }: { readonly metrics: ReadonlyMap<string, number> },
): object {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK made it.
  const queries = MetricDataQueries as any[];
  const minute = (Math.ceil(Number(EndTime) / 60) - 1) * 60;
  const MetricDataResults = queries.map(({ Id, MetricStat }) => {
    const value = metrics.get(MetricStat.Metric.MetricName);
    const [Timestamps, Values] = value === undefined ? [[], []] : [[minute], [value]];
    return { Id, Timestamps, Values, StatusCode: "Complete" };
  });
  return { MetricDataResults };
}
