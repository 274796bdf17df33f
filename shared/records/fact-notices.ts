import type { NoticeKind } from "../attention/attention-kinds.ts";
import { claimOfFact } from "../attention/claim.ts";
import { type Notice, openNotice, type Revealed } from "../attention/notice.ts";
import type { Fact } from "../facts/fact.ts";
import { flags as allFlags, type Flag } from "../facts/flags.ts";
import type { Subject } from "../facts/subject.ts";
import type { FactContext } from "./fact-context.ts";
import type { Expiry } from "./record-expiry.ts";

/** The flags that need attention. */
const kindsByFlag: Readonly<Partial<Record<Flag, NoticeKind>>> = {
  mismatch: "mismatch",
  contradicted: "contradicted",
  duplicatePayment: "duplicate-payment",
  conflict: "conflict",
  refunded: "refunded",
};

/** A fact as it was applied, with its flags. */
interface FlaggedFact {
  readonly factId: string;
  readonly publishedId?: string;
  readonly flags: readonly Flag[];
}

/** One notice for each flag that needs attention. `callbackId` identifies the receipt that revealed it. */
export function noticesOfFact(
  context: FactContext,
  { publishedId, flags, ...applied }: FlaggedFact,
  callbackId: string | undefined,
  expiry: Expiry,
): Notice[] {
  // A repeat must not reopen a notice that an operator dismissed, so it uses the notice of the published fact.
  const factId = publishedId ?? applied.factId;
  const revealed = { factId, callbackId, ...statedBy(context.fact) };
  const claims = claimOfFact(context.fact, orderCurrency(context));
  const noticed = { ...aboutOf(context), revealedBy: factId, revealed, claims };
  return allFlags.flatMap((flag) => {
    const kind = flags.includes(flag) ? kindsByFlag[flag] : undefined;
    return kind === undefined ? [] : openNotice({ ...noticed, kind }, expiry);
  });
}

function orderCurrency(context: FactContext): string | undefined {
  return context.kind === "payment" ? context.aggregate.order?.expected.currency : undefined;
}

interface About {
  readonly subject: Subject;
  readonly orderNo?: string | undefined;
  readonly paymentId?: string | undefined;
}

/** The subject of a refund is its payment. Operators search by the order that the payment is linked to. */
function aboutOf(context: FactContext): About {
  const { merchantId } = context.fact;
  if (context.kind === "order") {
    const { orderNo, paymentId } = context.fact;
    return { subject: { kind: "order", merchantId, orderNo }, paymentId };
  }
  const { paymentId } = context.fact;
  const { order } = context.aggregate;
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
