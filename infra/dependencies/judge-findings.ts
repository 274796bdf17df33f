import type { AcceptedAdvisory } from "./accepted-advisories.ts";
import type { Finding } from "./read-findings.ts";

export interface Judgement {
  readonly finding: Finding;
  readonly verdict: "fails" | "accepted" | "noted";
}

interface Rules {
  /** The paths of packages in which a high or critical finding fails. */
  readonly guarded: ReadonlySet<string>;
  readonly accepted: readonly AcceptedAdvisory[];
  readonly now: Date;
}

/** What a finding means for us, by the table in docs/dependencies.md. */
export function judge(finding: Finding, { guarded, accepted, now }: Rules): Judgement {
  const isSevere = finding.severity === "high" || finding.severity === "critical";
  if (!isSevere || !finding.paths.some((path) => guarded.has(path))) {
    return { finding, verdict: "noted" };
  }
  const today = now.toISOString().slice(0, "YYYY-MM-DD".length);
  const isAccepted = accepted.some(({ id, until }) => id === finding.id && today < until);
  return { finding, verdict: isAccepted ? "accepted" : "fails" };
}
