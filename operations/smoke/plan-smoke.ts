import { PaycastError } from "../../shared/paycast-error.ts";
import type { SmokeMerchant, Target } from "../target/target.ts";

/** What a smoke test would use and change. */
export interface SmokePlan {
  readonly merchantId: string;
  readonly callbackUrl: string;
  readonly callbackKeys: string;
  readonly queueUrl: string;
}

/** Throws `target-incomplete` if the stack has no merchant for smoke tests. */
export function planSmoke(target: Target): SmokePlan {
  const { merchantId, callbackKeys, queueUrl } = smokeMerchantOf(target);
  return { merchantId, callbackUrl: target.callbackUrl, callbackKeys, queueUrl };
}

function smokeMerchantOf({ smoke }: Target): SmokeMerchant {
  if (smoke !== undefined) return smoke;
  throw new PaycastError(
    "target-incomplete",
    'The stack has no merchant for smoke tests. Set "smoke": true in its config and deploy it.',
  );
}
