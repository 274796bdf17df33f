import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { useTarget } from "../use-target.ts";
import { attentionSetup } from "./attention-setup.ts";
import { callback } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const setup = attentionSetup(operated);
const redrive = ["attention", "redrive", "--order"];

async function forgetOrder(orderNo: string): Promise<void> {
  const Key = toAttributes({ aggregateKey: `shop-1#order#${orderNo}` });
  const TableName = operated.target().orders.table;
  await operated.clients().dynamodb.send(new DeleteItemCommand({ TableName, Key }));
}

const statusOf = async (orderNo: string) => (await paycastJson("order", orderNo)).order.status;

test("names all records of an order, finished ones included, and gives it back what it lacks", async () => {
  const paid = callback({ orderNo: "LOST-1" });
  await setup.toInbox(paid);
  await setup.published(paid);
  expect(await setup.eventsAbout("LOST-1")).toHaveLength(1);
  await forgetOrder("LOST-1");
  expect((await paycast("attention", "list", "--order", "LOST-1")).out).toContain("Nothing needs");

  const planned = await paycast(...redrive, "LOST-1");
  expect(planned.out).toContain("1 message would be sent to the inbox again.");
  expect(planned.out).toContain("1 of them need no attention. They restore what the order");
  const done = await paycast(...redrive, "LOST-1", "--yes");
  expect(done).toMatchObject({ code: 0, out: "1 message sent to the inbox: 1 done.\n" });
  expect(await statusOf("LOST-1")).toBe("success");
  expect(await setup.eventsAbout("LOST-1")).toHaveLength(1);
});

test("sends finished records and those in quarantine together, and other filters leave finished ones out", async () => {
  const orderNo = "MIXED-1";
  const paid = callback({ orderNo, receivedAt: Date.now() - 60_000 });
  await setup.toInbox(paid);
  await setup.published(paid);
  const fixed = callback({ orderNo });
  await setup.record(fixed);
  expect(await paycastJson(...redrive, orderNo)).toMatchObject({ count: 2, finished: 1 });
  const ofKind = await paycastJson(...redrive, orderNo, "--kind", "quarantined");
  expect(ofKind).toMatchObject({ count: 1, finished: 0 });
  expect(await paycastJson(...redrive, orderNo, "--yes")).toMatchObject({ sent: 2 });
  await setup.published(fixed);
});

test.each([
  ["given up for a subscriber that is gone", "undeliverable"],
  ["waiting, although the restored table no longer has it in the inbox", "waiting"],
] as const)(
  "names a record that is %s, since the order lacks its fact, too",
  async (_name, kind) => {
    const orderNo = `LACKS-${kind}`;
    const aside = callback({ orderNo });
    await setup.missed(aside, ["old-team"], { kind });
    await forgetOrder(orderNo);
    expect(await paycastJson(...redrive, orderNo)).toMatchObject({ count: 1, gone: 0, waiting: 0 });
    await paycast(...redrive, orderNo, "--wait", "0", "--yes");
    await operated.untilStored(orderNo, "success");
  },
);
