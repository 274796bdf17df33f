import * as z from "zod";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { describeLook } from "../described/describe.ts";
import type { Cell, OperationGroup, Report } from "../described/description.ts";
import { choice, time, wholeNumber } from "../described/fields.ts";
import { reasonWords } from "../reason-words.ts";
import { readAllRefusals } from "../refusals/explain-refusals.ts";
import { stackOption } from "../target/target.ts";
import { createMetrics } from "../telemetry/read-metrics.ts";
import type { RequestLine } from "../telemetry/request-lines.ts";
import {
  type AnswerClass,
  answerClasses,
  answerNames,
  answerOf,
  answerWords,
  reasonOf,
  routeNames,
  routeOf,
  serviceCodeOf,
} from "./answers.ts";
import { readRequests } from "./read-requests.ts";

/** A line of the log, and what it means. */
export interface ListedRequest {
  readonly line: RequestLine;
  readonly route: string;
  readonly answer: AnswerClass;
  readonly reason: string | undefined;
}

export interface RequestList {
  /** Newest first. */
  readonly requests: readonly ListedRequest[];
  /** RFC 3339: older requests were not read. */
  readonly readBackTo: string;
  /** Everything since the time that was asked for was read. */
  readonly isWhole: boolean;
}

const hour = 3_600_000;

const input = z.object({
  route: choice("only this route; storefront is create-order and query-order", routeNames),
  answer: z
    .enum(answerNames)
    .optional()
    .meta({
      description: `only this HTTP status, such as 401, or one of ${answerClasses.join(", ")}`,
      placeholder: "ANSWER",
    }),
  reason: z
    .string()
    .regex(/^[\w.:-]{1,100}$/, "must be a reason, an error or a code, as the list has it")
    .optional()
    .meta({
      description: "only this reason, error, or code of the payment service",
      placeholder: "REASON",
    }),
  since: time("only since then, an hour if not given", "since"),
  until: time("only before then", "until"),
  limit: wholeNumber("how many to list", 50, 1, 1_000),
  calls: wholeNumber("how often to ask CloudWatch at most", 40, 3, 10_000),
});

const list = describeLook({
  summary:
    "Newest first. The log is read backwards until there are enough, and the last line says how far it was read.",
  promises: [
    "`--route` is `callbacks`, `storefront`, or one of its two functions, `create-order` and `query-order`. `--reason` is a reason, the name or code of an error, or a code of the payment service. A call that the service refused counts as refused also if the caller got 404.",
    "If a callback in the list was answered 401, the lines below say for each merchant whether its keys are wrong or the refused callbacks were forged or foreign, as `keys check` does.",
    "CloudWatch is asked at most 40 times (`--calls N`), and a log with many lines that do not match may need more: then the last line says how far it was read, and how to go on. It is asked more often only if nothing at all would be read otherwise. Ctrl-C ends it and prints what was found.",
    "With `--json` each request has all that its line tells. The lines are kept as long as the log group keeps them; the local stack keeps 64 MB.",
  ],
  input,
  endsByItself: true,
  look: async (target, asked, work): Promise<Report<RequestList>> => {
    const until = asked.until === undefined ? target.now() + 1 : Date.parse(asked.until);
    const since = asked.since === undefined ? until - hour : Date.parse(asked.since);
    const { lines, readBackTo } = await readRequests(target, { ...asked, since, until }, work);
    const requests = lines.map((line) => {
      return { line, route: routeOf(line), answer: answerOf(line), reason: reasonOf(line) };
    });
    const isWhole = readBackTo <= since;
    const data = { requests, readBackTo: toRfc3339(readBackTo), isWhole };
    const refusals = lines.some(isNotAuthentic)
      ? await readAllRefusals(target, createMetrics(target))
      : [];
    return {
      lines: requests.length === 0 ? ["No request was found."] : [],
      ...(requests.length > 0 && { table: tableOf(requests) }),
      below: [
        ...reasonLines(requests),
        ...(requests.some(isRefusedByService)
          ? [
              `What the service said, and whether it accepts the keys: npx paycast check${stackOption(target)}`,
            ]
          : []),
        ...refusals.map(({ merchantId, text }) => `${merchantId}, in the last hour: ${text}`),
        ...(isWhole
          ? []
          : // In quotes, because --local-time would change it. No full stop, because it would be copied, too.
            [`Read back to ${data.readBackTo}. Go on with --until '${data.readBackTo}'`]),
      ],
      data,
      isGood: !work.stopped.aborted,
    };
  },
});

/** The reasons of the list that are codes of ours, in words. */
function reasonLines(requests: readonly ListedRequest[]): readonly string[] {
  const reasons = [...new Set(requests.map(({ reason }) => reason))].sort();
  return reasons.flatMap((reason) => {
    const words = reasonWords(reason);
    return words === undefined ? [] : [`${reason}: ${words}.`];
  });
}

/** The lines of the log have the service's code, and not its words. */
function isRefusedByService({ line }: ListedRequest): boolean {
  return line.errorCode === "gateway-refused";
}

/** A callback that was answered 401: the list alone does not show whether the keys are wrong or somebody forges. */
function isNotAuthentic({ outcome }: RequestLine): boolean {
  return outcome === "not-authentic";
}

function tableOf(requests: readonly ListedRequest[]): NonNullable<Report["table"]> {
  const rows = requests.map(({ line, route, answer, reason }): readonly Cell[] => [
    { time: line.at },
    route,
    `${line.httpStatus} ${answer}`,
    [reason, serviceCodeOf(line)].filter(Boolean).join(" ") || "-",
    line.merchantId ?? "-",
    line.orderNo ?? line.paymentId ?? "-",
    line.durationMilliseconds === undefined ? "-" : `${line.durationMilliseconds} ms`,
  ]);
  return { head: ["time", "route", "answer", "reason", "merchant", "about", "took"], rows };
}

const answersText = answerClasses.map((name) => `${name} (${answerWords[name]})`).join(", ");

export const requests: OperationGroup = {
  name: "requests",
  about: [
    "Every call of POST /callbacks and of the storefront API, from the functions' own log lines: CloudWatch Logs, or the file of the local stack. It tells what the caller does not learn: why a callback was refused, what the payment service said, and which order it was about.",
    `An answer is one of: ${answersText}.`,
  ],
  operations: [list],
  examples: [
    "requests",
    "requests --route callbacks --answer refused --since 15m",
    "requests --reason wrong-signature --since 1d --stack Paycast",
    "requests --route storefront --answer 502 --json",
  ],
};
