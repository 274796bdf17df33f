import { counted } from "../../shared/counted.ts";
import { type AttentionSummary, readAttention } from "../overview/read-attention.ts";
import { refusingText } from "../overview/refusing.ts";
import { stackOption, type Target } from "../target/target.ts";
import { type Check, ok, problem, type Verdict } from "./finding.ts";

/** What needs a person now, and which subscribers' queues refuse events. */
export const attentionCheck: Check = {
  name: "attention",
  run: async (target) => {
    const summary = await readAttention(target);
    const found = [...quarantinedIn(summary, target), ...refusingIn(summary, target)];
    return found.length > 0 ? found : [ok("nothing needs a person")];
  },
};

function quarantinedIn(
  { quarantined, isMore }: AttentionSummary,
  target: Target,
): readonly Verdict[] {
  if (quarantined === 0) return [];
  return [
    problem(
      `${isMore ? "At least " : ""}${counted(quarantined, "callback")} not understood.`,
      `See why: npx paycast quarantine list --kind quarantined${stackOption(target)}`,
    ),
  ];
}

function refusingIn({ subscribers }: AttentionSummary, target: Target): readonly Verdict[] {
  return Object.entries(subscribers).map(([name, refusing]) =>
    problem(
      `${name} ${refusingText(refusing)}.`,
      `Bring the queue back, then: npx paycast quarantine redrive --subscriber ${name}${stackOption(target)}`,
    ),
  );
}
