import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { Target } from "../target/target.ts";
import { type Check, ok, type Verdict, warning } from "./finding.ts";

/** Refused callbacks hold what customers paid, encrypted: nobody should forget that they are being kept. */
export function captureCheck({ capturedUrl }: Target): readonly Check[] {
  if (capturedUrl === undefined) return [];
  return [
    {
      name: "captured callbacks",
      run: async (target, { now }) => {
        await target.clients.sqs.send(new GetQueueAttributesCommand({ QueueUrl: capturedUrl }));
        return [captureVerdict(endOf(target), now())];
      },
    },
  ];
}

function endOf({ functions }: Target): number {
  const receive = functions.find(({ label }) => label === "receive-callback");
  return Number(receive?.environment["CAPTURE_UNTIL_MILLISECONDS"]);
}

function captureVerdict(endMilliseconds: number, now: number): Verdict {
  if (Number.isNaN(endMilliseconds)) return ok("the queue exists");
  const end = new Date(endMilliseconds).toISOString();
  if (endMilliseconds <= now) return ok(`capturing ended at ${end}`);
  return warning(
    `Refused callbacks are captured until ${end}.`,
    "Remove callbacks.captureUntil from the config when you have found the cause.",
  );
}
