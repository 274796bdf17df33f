import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { connectionFailure } from "../connection-failure.ts";
import { skewVerdicts } from "./clock-check.ts";
import { type Check, type CheckContext, ok, problem, type Verdict } from "./finding.ts";

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
