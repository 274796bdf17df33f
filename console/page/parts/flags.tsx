import type { Flag } from "../../../shared/facts/flags.ts";
import { Badge, type Tone } from "./small.tsx";

interface Meaning {
  /** The flag in plain words. */
  readonly name: string;
  readonly says: string;
  /** Whether somebody should look at it, or only know it. */
  readonly tone: Tone;
}

const meanings: Readonly<Record<Flag, Meaning>> = {
  late: {
    name: "late",
    says: "Money came in after the order had timed out or failed.",
    tone: "open",
  },
  regressed: {
    name: "regressed",
    says: "A fact came that does not move the status: it is the same already, or later.",
    tone: "plain",
  },
  duplicatePayment: {
    name: "duplicate payment",
    says: "The order was paid more than once. Refund one of the payments.",
    tone: "bad",
  },
  mismatch: {
    name: "mismatch",
    says: "An amount or a currency differs from the order as it was created.",
    tone: "bad",
  },
  conflict: {
    name: "conflict",
    says: "The same callback id came with different content.",
    tone: "bad",
  },
  unknownOrder: {
    name: "unknown order",
    says: "The order or the payment was not created through this stack.",
    tone: "open",
  },
  otherAttempt: {
    name: "other attempt",
    says: "A fact belongs to another attempt to create the order than the one it follows.",
    tone: "open",
  },
  refusedOrder: {
    name: "refused order",
    says: "The service refused to create the order, and reports on it all the same.",
    tone: "open",
  },
  unresolved: {
    name: "unresolved",
    says: "The service has not told for days how the order ended. Ask it, outside of Paycast.",
    tone: "bad",
  },
  shortenedNumber: {
    name: "shortened number",
    says: "The service shortens the number: its callbacks name another order. This one is settled by asking.",
    tone: "bad",
  },
  unreadableTime: {
    name: "unreadable time",
    says: "A time could not be read and is left out.",
    tone: "plain",
  },
  unreadableReason: {
    name: "unreadable reason",
    says: "The service's message could not be read and is left out.",
    tone: "plain",
  },
  unreadableAmount: {
    name: "unreadable amount",
    says: "No money moved, and the amount could not be read and is left out.",
    tone: "plain",
  },
};

/** A newer stack may have flags that this page does not know. */
function meaningOf(flag: string): Meaning {
  const known: Readonly<Record<string, Meaning>> = meanings;
  return known[flag] ?? { name: flag, says: "", tone: "open" };
}

export function FlagBadges({ flags }: { readonly flags: readonly string[] }) {
  return (
    <>
      {flags.map((flag) => (
        <Badge key={flag} tone={meaningOf(flag).tone}>
          {meaningOf(flag).name}
        </Badge>
      ))}
    </>
  );
}

/** Each flag with what it means. */
export function FlagList({ flags }: { readonly flags: readonly string[] }) {
  if (flags.length === 0) return null;
  return (
    <ul class="flag-list" aria-label="Flags">
      {flags.map((flag) => (
        <li key={flag}>
          <Badge tone={meaningOf(flag).tone}>{meaningOf(flag).name}</Badge>{" "}
          <span>{meaningOf(flag).says}</span>
        </li>
      ))}
    </ul>
  );
}
