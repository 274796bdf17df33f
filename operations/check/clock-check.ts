import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

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

const answerSchema = z.object({ headers: z.object({ date: z.string() }) });

function dateIn(response: unknown): string | null {
  const read = answerSchema.safeParse(response);
  return read.success ? read.data.headers.date : null;
}

/** A header has whole seconds, and people tolerate more. */
const noticedMilliseconds = 60_000;
/** With a larger difference AWS refuses signatures, and receive-callback takes a smoke test's callback for forged. */
const refusedMilliseconds = 300_000;

/** Nothing if the clocks agree, or if the answer had no date. */
export function skewVerdicts(
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
