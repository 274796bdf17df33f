import type { Result } from "./check-findings.ts";

/** What can happen to an order in a run. */
export type What =
  | { readonly kind: "asked"; readonly result: Result }
  /** Something else than a query failed: the table, or the item is too large for it. */
  | { readonly kind: "check-failed"; readonly error: unknown }
  /** The item cannot be read as an order. */
  | { readonly kind: "item-unreadable" }
  /** A newer version wrote the item in its own format. The order stays due. */
  | { readonly kind: "item-newer" }
  /** The order's merchant is no longer configured. */
  | { readonly kind: "not-configured" }
  /** Postponed without a query, because its merchant's keys cannot be used. */
  | { readonly kind: "set-aside" }
  /** The order is `unresolved` from now on. */
  | { readonly kind: "unresolved" };

export type Happening = What & { readonly aggregateKey: string; readonly merchantId: string };

/** What happened in one run, in its order. Only appended to. */
export interface Journal {
  readonly startedAtMilliseconds: number;
  /** How long the oldest due order has been due. Undefined until the index was read. */
  oldestDueMilliseconds?: number;
  readonly happenings: Happening[];
}
