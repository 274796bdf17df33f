import { randomUUID } from "node:crypto";
import { PaycastError } from "../../shared/paycast-error.ts";

/** Plans that were shown and wait for a yes: what was shown is what is done. */
export interface Previews<Plan> {
  readonly keep: (plan: Plan) => string;
  /** Each plan is done once. Throws `not-found`. */
  readonly take: (id: string) => Plan;
}

const usualMost = 20;

/** `mostKept` is smaller where a plan may be large: all of them are in memory. */
export function createPreviews<Plan>(mostKept = usualMost): Previews<Plan> {
  const plans = new Map<string, Plan>();
  return {
    keep: (plan) => {
      const id = randomUUID();
      plans.set(id, plan);
      for (const oldest of plans.keys()) {
        if (plans.size <= mostKept) break;
        plans.delete(oldest);
      }
      return id;
    },
    take: (id) => {
      const plan = plans.get(id);
      if (plan === undefined) {
        const message = "This preview was used already, or is too old. Look again.";
        throw new PaycastError("not-found", message);
      }
      plans.delete(id);
      return plan;
    },
  };
}
