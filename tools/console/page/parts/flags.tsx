import { flagWords } from "../../../../shared/facts/flag-words.ts";
import { Badge, type Tone } from "./elements.tsx";
import { Help } from "./meaning.tsx";

/** Flags of faults, and flags that only inform. Every other flag, also an unknown one, asks for attention. */
const tones: Readonly<Record<string, Tone>> = {
  regressed: "plain",
  duplicatePayment: "bad",
  mismatch: "bad",
  contradicted: "bad",
  conflict: "bad",
  unresolved: "bad",
  shortenedNumber: "bad",
  unreadableTime: "plain",
  unreadableReason: "plain",
  unreadableAmount: "plain",
};

/** "duplicatePayment" becomes "duplicate payment". */
export function flagName(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A newer stack may have flags that this version does not know. */
function meaningOf(flag: string): string {
  const known: Readonly<Record<string, { readonly means: string }>> = flagWords;
  return known[flag]?.means ?? "";
}

function FlagBadge({ flag }: { readonly flag: string }) {
  return <Badge tone={tones[flag] ?? "open"}>{flagName(flag)}</Badge>;
}

export function FlagBadges({ flags }: { readonly flags: readonly string[] }) {
  return (
    <>
      {flags.map((flag) => (
        <span key={flag} class="explained">
          <FlagBadge flag={flag} />
          <Help about={flagName(flag)} text={meaningOf(flag)} />
        </span>
      ))}
    </>
  );
}

/** Each flag with its meaning. */
export function FlagList({ flags }: { readonly flags: readonly string[] }) {
  if (flags.length === 0) return null;
  return (
    <ul class="flag-list" aria-label="Flags">
      {flags.map((flag) => (
        <li key={flag}>
          <FlagBadge flag={flag} /> <span>{meaningOf(flag)}</span>
        </li>
      ))}
    </ul>
  );
}
