import type { Target } from "../target/target.ts";
import { controlService, type ServiceCallback } from "./service-control.ts";

/** Only the local payment service can be asked. What it does not tell is left out: it is an addition to the timeline. */
export async function readSimulatedCallbacks(
  { simulator }: Target,
  paymentIds: readonly string[],
): Promise<readonly ServiceCallback[]> {
  if (simulator === undefined) return [];
  const service = controlService(simulator, fetch);
  const callbacksOf = async (paymentId: string) => (await service.payment(paymentId)).callbacks;
  const found = await Promise.all(paymentIds.map((id) => callbacksOf(id).catch(() => [])));
  return found.flat();
}
