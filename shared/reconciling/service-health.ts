import { isKeyCode } from "../errors/key-codes.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { Happening } from "./run-journal.ts";

/** What a run knows about the service from its own queries. */
export interface ServiceHealth {
  /** The service responded to a query of this run. From then on a failure is about its order, not about the service. */
  readonly isResponding: boolean;
  readonly failuresInARow: number;
  /** Merchants with a failed query. */
  readonly failingMerchants: ReadonlySet<string>;
  /** Merchants whose keys cannot be used. That says nothing about the service. */
  readonly merchantsWithoutKeys: ReadonlySet<string>;
}

export const unknownHealth: ServiceHealth = {
  isResponding: false,
  failuresInARow: 0,
  failingMerchants: new Set(),
  merchantsWithoutKeys: new Set(),
};

/**
 * A run whose queries all fail asks ten orders from the front of the line and ten from its other end. If none of them
 * gets a response, the service is down, and the next run tries again.
 */
const mostFailures = 20;

export function isDown({ isResponding, failuresInARow }: ServiceHealth): boolean {
  return !isResponding && failuresInARow >= mostFailures;
}

/**
 * Which end of the line the next order comes from. The oldest orders may be those whose queries fail again and again,
 * so while nothing else is known, every second one comes from the other end.
 */
export function nextEnd({ isResponding, failuresInARow }: ServiceHealth): "oldest" | "newest" {
  return !isResponding && failuresInARow % 2 === 1 ? "newest" : "oldest";
}

export function healthAfter(health: ServiceHealth, happening: Happening): ServiceHealth {
  switch (happening.kind) {
    case "asked": {
      const { result, merchantId } = happening;
      if (result.kind === "failed") return afterFailure(health, result.error, merchantId);
      return { ...health, isResponding: true, failuresInARow: 0 };
    }
    case "check-failed":
      return mayPass(happening.error) ? withFailure(health) : health;
    default:
      return health;
  }
}

function afterFailure(health: ServiceHealth, error: unknown, merchantId: string): ServiceHealth {
  if (isAboutKeys(error)) {
    const merchantsWithoutKeys = new Set([...health.merchantsWithoutKeys, merchantId]);
    return { ...health, merchantsWithoutKeys };
  }
  if (!mayPass(error)) return health;
  const failingMerchants = new Set([...health.failingMerchants, merchantId]);
  return withFailure({ ...health, failingMerchants });
}

function withFailure(health: ServiceHealth): ServiceHealth {
  return { ...health, failuresInARow: health.failuresInARow + 1 };
}

/** An error that no retry fixes, such as an item that is too large, says nothing about the service. */
function mayPass(error: unknown): boolean {
  return !(error instanceof PaycastError) || error.retryable;
}

function isAboutKeys(error: unknown): boolean {
  return error instanceof PaycastError && isKeyCode(error.code);
}
