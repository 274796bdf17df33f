import type { FlowCounts } from "../../../operations/overview/read-flow.ts";
import { counted } from "../../../shared/counted.ts";
import { fewestRefusals, refusedPercent } from "../../../shared/receiving/refusals-to-tell.ts";

type Counts = Pick<FlowCounts, "accepted" | "notAuthentic" | "unknownMerchant">;

/** Has the limits of the alarms: a forgery now and then is refused, and that is all. */
export function tellManyRefused(counts: Counts): string | undefined {
  const refused = counts.notAuthentic.total - counts.unknownMerchant.total;
  const all = counts.accepted.total + refused;
  if (refused < fewestRefusals || 100 * refused < all * refusedPercent) return undefined;
  return `${refused} of ${counted(all, "callback")} of the last hour were not authentic. The keys or the wire profile may be wrong, or somebody forges them.`;
}
