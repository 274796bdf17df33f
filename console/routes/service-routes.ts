import * as z from "zod";
import { createLocalService } from "../../operations/calling/local-service.ts";
import { controlService } from "../../operations/calling/service-control.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Desk } from "../desk.ts";
import { type ApiRoute, change } from "../server/route.ts";

const id = z.string().regex(/^[\w-]{1,64}$/);

/** What the payment service can do for an order. Only for the local stack. */
export function serviceRoutes({ lab, target, changed }: Desk): ApiRoute[] {
  if (lab === undefined) return [];
  const addresses = async () => {
    const { simulator, api } = await target();
    if (simulator !== undefined) return { simulator, api };
    throw new PaycastError("wrong-usage", "Only the local stack has a payment service to control.");
  };
  return [
    change("/api/lab/service/refund", z.strictObject({ paymentId: id }), async ({ paymentId }) => {
      const { simulator, api } = await addresses();
      await createLocalService(simulator, api, fetch).act(paymentId, "refund", {});
      changed();
    }),
    change(
      "/api/lab/service/send-again",
      z.strictObject({ callbackId: id }),
      async ({ callbackId }) => {
        await controlService((await addresses()).simulator, fetch).sendAgain(callbackId);
        changed();
      },
    ),
  ];
}
