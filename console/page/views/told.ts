import type { Told } from "../../../operations/overview/warning.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { shortTime } from "../parts/time.tsx";

/** How warnings are told on this page. */
export function toldOn({ kind }: StackView): Told {
  return {
    isDeployed: kind === "deployed",
    nowMilliseconds: Date.now(),
    timeText: shortTime,
  };
}
