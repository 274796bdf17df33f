import { afterEach, expect, onTestFinished, test } from "vitest";
import { storeDue } from "../reconciling/due-orders.ts";
import { useShops } from "../storefront/shop.ts";
import { createCanaries } from "./canary.ts";
import { echo } from "./echo.ts";
import { loadedPayment } from "./loaded.ts";
import { startScriptedService } from "./scripted-service.ts";
import { createWatch } from "./watch.ts";

const makeShop = useShops();
const canaries = createCanaries();
const watch = createWatch(canaries);
afterEach(() => watch.expectNoLeak());

const words = () => canaries.text("the service's words");
const paid = (changes: object) => ({
  code: 20000,
  data: { ...loadedPayment(canaries), ...changes },
});

/** What the service may say about a payment. */
const answers: [status: number, body: () => unknown][] = [
  [200, () => paid({ status: "success" })],
  [200, () => paid({ status: words() })],
  [200, () => paid({ paymentAmount: words(), payAmount: words() })],
  [200, () => paid({ status: "refund_success" })],
  [200, () => ({ code: 40400, msg: words() })],
  [200, () => ({ code: `no ${words()}`, msg: words() })],
  [200, () => words()],
  [500, () => ({ code: 50000, msg: words() })],
];

const runMilliseconds = 50_000;

test("a run says nothing of what the service answers, or of what AWS refuses", async () => {
  const service = await startScriptedService();
  onTestFinished(service.stop);
  const shop = await makeShop({ gateway: { baseUrl: service.url } });
  const reconciler = await shop.reconciler();
  const run = async () => {
    watch.outcome(await reconciler.invoke({}, runMilliseconds));
    watch.lines(reconciler);
    reconciler.advance(60_000);
  };
  for (const [index, [status, body]] of answers.entries()) {
    await storeDue(shop, 1, `${canaries.text("order number", "id")}-${index}`);
    service.answer(status, body());
    await run();
  }
  reconciler.advance(-60_000);
  await run();
  await storeDue(shop, 25, canaries.text("order number", "id"));
  service.cut();
  await run();
  for (const operation of ["Query", "GetItem", "SendMessage", "PutItem"]) {
    await storeDue(shop, 1, canaries.text("order number", "id"));
    service.answer(200, paid({ status: "success" }));
    const matches = (call: { operation: string }) => call.operation === operation;
    reconciler.faults.fail(matches, echo());
    await run();
    reconciler.faults.heal();
  }
  const lines = watch.seen({ service: "reconcile-orders" });
  expect(lines).toHaveLength(answers.length + 6);
  watch.expectAllOutcomes("reconcile-orders", ["keys-problem"]);
});
