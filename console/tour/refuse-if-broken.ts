import { controlService } from "../../operations/calling/service-control.ts";
import type { Target } from "../../operations/target/target.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Lab } from "../lab/lab.ts";

interface Surroundings {
  readonly target: () => Promise<Target>;
  readonly lab: Lab;
}

/** On a stack that somebody has broken on purpose, a scenario would prove nothing. */
export async function refuseIfBroken({ target, lab }: Surroundings): Promise<void> {
  const { simulator } = await target();
  const { outages, brokenSubscribers } = lab.breakage();
  const faults =
    simulator === undefined ? [] : (await controlService(simulator, fetch).faults()).faults;
  const forAll = faults.filter(({ orderNo }) => orderNo === undefined);
  if (outages.length + brokenSubscribers.length + forAll.length === 0) return;
  const message =
    "Something is broken on purpose, and a scenario would prove nothing. Put everything right in the Lab first.";
  throw new PaycastError("wrong-usage", message);
}
