import type { FlowCounts } from "../../../operations/overview/read-flow.ts";
import { counted } from "../../../shared/counted.ts";

/** As the alarm on refused callbacks: so many, and this share of all that name a merchant of the stack. */
const fewestRefused = 3;
const refusedShare = 0.25;

type Counts = Pick<FlowCounts, "accepted" | "notAuthentic" | "unknownMerchant">;

/** A forgery now and then is refused, and that is all. If many callbacks are, the service's own may be among them. */
export function tellManyRefused(counts: Counts): string | undefined {
  const refused = counts.notAuthentic.total - counts.unknownMerchant.total;
  const all = counts.accepted.total + refused;
  if (refused < fewestRefused || refused < all * refusedShare) return undefined;
  return `${refused} of ${counted(all, "callback")} of the last hour were not authentic. The keys or the wire profile may be wrong, or somebody forges them.`;
}
