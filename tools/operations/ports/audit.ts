/** What is done, to what: never a key, a payload or personal data. */
export type AuditDetails = Readonly<Record<string, string | number | readonly string[]>>;

/** A line names at most this many ids, because a log event has a maximum size. */
export const mostAuditedIds = 1_000;

interface AuditRange {
  readonly sinceMilliseconds: number;
  /** Enough lines. The reader may return more, and on a busy stack not all of them. */
  readonly most: number;
}

interface AuditLines {
  readonly lines: readonly string[];
  /** False if there may be more lines since that time. */
  readonly isWhole: boolean;
}

/** Who changed what. */
export interface Audit {
  /**
   * Leaves a line that says who changes what, before it is changed. If the line cannot be written, it throws, and
   * nothing is changed.
   */
  readonly write: (act: string, details: AuditDetails) => Promise<void>;
  /** The lines since a time, as text. On the local stack also the earlier ones. */
  readonly read: (range: AuditRange) => Promise<AuditLines>;
}

export function auditLine(now: number, who: string, act: string, details: AuditDetails): string {
  return JSON.stringify({ at: new Date(now).toISOString(), who, act, ...details });
}
