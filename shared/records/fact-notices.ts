import type { NoticeKind } from "../attention/attention-kinds.ts";
import { type Notice, openNotice, type Revealed } from "../attention/notice.ts";
import type { Fact } from "../facts/fact.ts";
import { flags as allFlags, type Flag } from "../facts/flags.ts";
import type { Subject } from "../facts/subject.ts";
import type { FactInPlace } from "./fact-in-place.ts";
import type { Expiry } from "./record-expiry.ts";

/** The flags of a fact that need a person. */
const kindsByFlag: Readonly<Partial<Record<Flag, NoticeKind>>> = {
  mismatch: "mismatch",
  duplicatePayment: "duplicate-payment",
  conflict: "conflict",
  refunded: "refunded",
};

/** A fact as it was applied: its id, and what is odd about it. */
interface FlaggedFact {
  readonly factId: string;
  readonly publishedId?: string;
  readonly flags: readonly Flag[];
}

/** What is odd about a fact, as a notice for each flag. `callbackId` is that of the receipt that revealed it. */
export function noticesOfFact(
  place: FactInPlace,
  { publishedId, flags, ...applied }: FlaggedFact,
  callbackId: string | undefined,
  expiry: Expiry,
): Notice[] {
  // A repeat must not open again what a person has dismissed, so both have the notice of the published fact.
  const factId = publishedId ?? applied.factId;
  const revealed = { factId, callbackId, ...statedBy(place.fact) };
  const noticed = { ...aboutOf(place), revealedBy: factId, revealed };
  return allFlags.flatMap((flag) => {
    const kind = flags.includes(flag) ? kindsByFlag[flag] : undefined;
    return kind === undefined ? [] : openNotice({ ...noticed, kind }, expiry);
  });
}

interface About {
  readonly subject: Subject;
  readonly orderNo?: string | undefined;
  readonly paymentId?: string | undefined;
}

/** A refund is about its payment. People look for it by the order that the payment is linked to. */
function aboutOf(place: FactInPlace): About {
  const { merchantId } = place.fact;
  if (place.kind === "order") {
    const { orderNo, paymentId } = place.fact;
    return { subject: { kind: "order", merchantId, orderNo }, paymentId };
  }
  const { paymentId } = place.fact;
  const { order } = place.aggregate;
  return { subject: { kind: "payment", merchantId, paymentId }, orderNo: order?.orderNo };
}

function statedBy(fact: Fact): Revealed {
  const { type, transactionId, amount } = fact;
  const currency = amount !== undefined && "currency" in amount ? ` ${amount.currency}` : "";
  return {
    type,
    transactionId,
    ...(fact.kind === "refund" && { refundId: fact.refundId }),
    ...(amount && { amount: `${amount.value}${currency}` }),
  };
}
