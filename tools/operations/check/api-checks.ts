import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { connectionFailure } from "../explain-error.ts";
import { skewVerdicts } from "./clock-check.ts";
import { type Check, type CheckContext, ok, problem, type Verdict } from "./finding.ts";

/** The operator's address may not be allowed to send callbacks. A 403 still shows that the function responds. */
const refusedSourceSchema = z.object({ code: z.literal(40300) });
const answerSchema = z.object({ code: z.literal(40000) });

/**
 * receive-callback itself rejects an empty callback, after it has read its settings and its keys. It stores nothing.
 */
export const apiCheck: Check = {
  name: "API",
  run: async ({ stack: { callbackUrl } }, context) => {
    const startedAt = context.now();
    const answer = await post(callbackUrl, context);
    const endedAt = context.now();
    if (!isOurs(answer.status, parseJson(await answer.text())))
      return [strangeAnswer(answer.status)];
    const skew = skewVerdicts(answer.headers.get("date") ?? undefined, { startedAt, endedAt });
    return [ok(`${callbackUrl} responds in ${endedAt - startedAt} ms`), ...skew];
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
  const message = `An empty callback returned ${status} instead of the 400 of receive-callback.`;
  if (status === 429 || status >= 500) {
    return problem(message, "Read the log of receive-callback and the API's metrics.");
  }
  return problem(
    message,
    "Check that the address leads to this stack: its domain, DNS and routes.",
  );
}
