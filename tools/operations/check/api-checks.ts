import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { connectionFailure } from "../target/explain-error.ts";
import {
  type Check,
  type CheckContext,
  faultsOr,
  ok,
  problem,
  type Verdict,
  warning,
} from "./finding.ts";

/** The operator's address need not be one that may send callbacks. The function answered all the same. */
const refusedSourceSchema = z.object({ code: z.literal(40300) });
const answerSchema = z.object({ code: z.literal(40000) });

/**
 * An empty callback is refused by receive-callback itself, which has then read its settings and its keys. It is
 * stored nowhere.
 */
export const apiCheck: Check = {
  name: "API",
  run: async ({ callbackUrl }, context) => {
    const startedAt = context.now();
    const answer = await post(callbackUrl, context);
    const endedAt = context.now();
    if (!isOurs(answer.status, parseJson(await answer.text())))
      return [strangeAnswer(answer.status)];
    const skew = skewVerdicts(answer.headers.get("date"), { startedAt, endedAt });
    return [ok(`${callbackUrl} answers, in ${endedAt - startedAt} ms`), ...skew];
  },
};

function isOurs(status: number, body: unknown): boolean {
  if (status === 403) return refusedSourceSchema.safeParse(body).success;
  return status === 400 && answerSchema.safeParse(body).success;
}

async function post(url: string, { fetch, limitMilliseconds }: CheckContext): Promise<Response> {
  const signal = AbortSignal.timeout(limitMilliseconds);
  try {
    return await fetch(url, { method: "POST", body: "", signal, redirect: "manual" });
  } catch (error) {
    throw new PaycastError(
      "aws-unreachable",
      `${url} cannot be reached (${connectionFailure(error)}).`,
      {
        cause: error,
      },
    );
  }
}

function strangeAnswer(status: number): Verdict {
  const message = `An empty callback was answered with ${status}, not with 400 of receive-callback.`;
  if (status === 429 || status >= 500) {
    return problem(message, "Read the log of receive-callback and the API's metrics.");
  }
  return problem(
    message,
    "Check that the address leads to this stack: its domain, DNS and routes.",
  );
}

/** The clock of this machine, beside the clock of AWS. */
export const clockCheck: Check = {
  name: "clock of this machine",
  run: async ({ clients, inbox }, { now }) => {
    let date: string | null = null;
    const command = new GetQueueAttributesCommand({ QueueUrl: inbox.url });
    command.middlewareStack.add(
      (next) => async (args) => {
        const answered = await next(args);
        date = dateIn(answered.response);
        return answered;
      },
      { step: "deserialize", name: "readDate", priority: "low" },
    );
    const startedAt = now();
    await clients.sqs.send(command);
    return faultsOr(skewVerdicts(date, { startedAt, endedAt: now() }), "agrees with AWS");
  },
};

const datedSchema = z.object({ headers: z.object({ date: z.string() }) });

function dateIn(response: unknown): string | null {
  const read = datedSchema.safeParse(response);
  return read.success ? read.data.headers.date : null;
}

/** A header has whole seconds only, and a small difference does no harm. */
const noticedMilliseconds = 60_000;
/** With a larger difference AWS refuses signatures, and receive-callback takes a smoke test's callback for forged. */
const refusedMilliseconds = 300_000;

/** Nothing if the clocks agree, or if the answer had no date. */
function skewVerdicts(
  date: string | null,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
): readonly Verdict[] {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return [];
  const skew = Math.max(0, there - endedAt, startedAt - there - 1_000);
  if (skew < noticedMilliseconds) return [];
  const direction = there > endedAt ? "behind" : "ahead";
  const message = `It is ${Math.round(skew / 1000)} seconds ${direction}.`;
  const action = "Set the clock of this machine, and let it follow a time server.";
  return [skew < refusedMilliseconds ? warning(message, action) : problem(message, action)];
}
