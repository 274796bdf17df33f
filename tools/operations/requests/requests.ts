import * as z from "zod";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { describeLook } from "../described/describe.ts";
import type { Cell, OperationGroup, Report } from "../described/description.ts";
import { choice, time, wholeNumber } from "../described/fields.ts";
import type { RequestLine } from "../ports/request-line.ts";
import { reasonWords } from "../reason-words.ts";
import { readAllRefusals } from "../refusals/explain-refusals.ts";
import { stackOption } from "../stack-option.ts";
import {
  type AnswerClass,
  answerClasses,
  answerNames,
  answerOf,
  answerWords,
  routeNames,
  routeOf,
  serviceCodeOf,
  shownReason,
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
  /** Everything since the given time was read. */
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
      description: "only this reason, problem, error, or code of the payment service",
      placeholder: "REASON",
    }),
  since: time("only requests since this time, by default the last hour", "since"),
  until: time("only requests before this time", "until"),
  limit: wholeNumber("how many to list", 50, 1, 1_000),
  calls: wholeNumber("the maximum number of calls to CloudWatch", 40, 3, 10_000),
});

const list = describeLook({
  summary: "The newest requests are first. The last line says how far back the log was read.",
  input,
  endsByItself: true,
  look: async (target, asked, work): Promise<Report<RequestList>> => {
    const until = asked.until === undefined ? target.clock.now() + 1 : Date.parse(asked.until);
    const since = asked.since === undefined ? until - hour : Date.parse(asked.since);
    const { lines, readBackTo } = await readRequests(target, { ...asked, since, until }, work);
    const requests = lines.map((line) => {
      return { line, route: routeOf(line), answer: answerOf(line), reason: shownReason(line) };
    });
    const isWhole = readBackTo <= since;
    const data = { requests, readBackTo: toRfc3339(readBackTo), isWhole };
    const refusals = lines.some(isNotAuthentic)
      ? await readAllRefusals(target, target.metrics.count)
      : [];
    return {
      lines: requests.length === 0 ? ["No requests were found."] : [],
      ...(requests.length > 0 && { table: tableOf(requests) }),
      below: [
        ...reasonLines(requests),
        ...(requests.some(isRefusedByService)
          ? [
              `What the service said, and whether it accepts the keys: npx paycast check${stackOption(target.stack)}`,
            ]
          : []),
        ...refusals.map(({ merchantId, text }) => `${merchantId}, in the last hour: ${text}`),
        ...(isWhole
          ? []
          : // In quotes, because --local-time would change it. No full stop, because it would be copied, too.
            [`Read back to ${data.readBackTo}. Continue with --until '${data.readBackTo}'`]),
      ],
      data,
      isGood: !work.stopped.aborted,
    };
  },
});

/** The reasons of the list that are codes of ours, in words. */
function reasonLines(requests: readonly ListedRequest[]): readonly string[] {
  const lines = requests.flatMap(({ line, reason }) => {
    const words = reasonWords(line.reason);
    return words === undefined ? [] : [`${reason}: ${words}.`];
  });
  return [...new Set(lines)].sort();
}

/** The lines of the log have the service's code, and not its words. */
function isRefusedByService({ line }: ListedRequest): boolean {
  return line.reason === "gateway-refused";
}

/** A callback that returned 401: the list alone does not show whether the keys are wrong or it was forged. */
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
    "Lists the calls of POST /callbacks and of the storefront API, from the functions' log lines. It shows what the caller does not see: why a callback was rejected, the payment service's code, and the order.",
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
