import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { expect } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";
import { getItem, putItem } from "../../integration/aws-stores.ts";
import { deleteTable } from "../causes.ts";
import type { Scene } from "./scene.ts";
import type { Walk } from "./walk.ts";

export const attention: Walk = {
  trouble: "an event of the service that Paycast does not know",
  section: "attention-new",
  alarms: ["AttentionNewAlarm", "AttentionNeededAlarm"],
  take: async (scene) => {
    const { operated } = scene;
    const { alarms } = attention;
    await scene.isSilent(...alarms);
    const { body } = await operated.shop().create("UNHEARD");
    await operated.shop().fault("unknown-event", "UNHEARD");
    await operated.shop().act(body.paymentId, "expire");
    await scene.jump(3);
    const { out } = await scene.rings(...alarms);
    expect(out).toMatch(/ quarantined +event-unknown /);
    const dismiss = ["attention", "dismiss", "--kind", "quarantined", "--yes"];
    expect(await operated.paycast(...dismiss)).toMatchObject({ code: 0 });
    await scene.jump(2);
    await scene.rings(...alarms);
    await scene.jump(6);
    await scene.isOver(...alarms);
  },
};

const tablesGone: Walk = {
  trouble: "somebody deletes the tables, and restores them",
  section: "attention-unknown",
  alarms: ["AttentionSilenceAlarm", "ProcessingTriedAlarm", "ReconciliationLateAlarm"],
  take: async (scene) => {
    const [silence, tried, late] = tablesGone.alarms as [string, string, string];
    const clients = scene.operated.clients();
    const { tables } = scene.operated.stack().description;
    await scene.isSilent(silence, tried, late);
    const restored = [tables.callbacks, tables.orders].map((table) =>
      deleteTable(clients.dynamodb, table),
    );
    const restore = await Promise.all(restored);
    expect(await scene.callback("WAITS")).toBe(200);
    await scene.jump(12);
    await scene.isSilent(silence, tried, late);
    await scene.jump(6);
    await scene.rings(silence, tried, late);
    for (const create of restore) await clients.dynamodb.send(create);
    await scene.jump(2);
    await scene.isOver(silence, late);
    await scene.jump(7);
    await scene.isOver(tried);
  },
};

/** Takes six hours in which nothing is sold. */
const crashed: Walk = {
  trouble: "a function crashes",
  section: "function-errors",
  alarms: [
    "FunctionErrorsAlarm",
    "StorefrontCreatingFailingAlarm",
    "StorefrontCreatingAllFailingAlarm",
  ],
  take: async (scene) => {
    const [errors, failing, allFailing] = crashed.alarms as [string, string, string];
    const { create, control } = scene.operated.shop();
    await scene.jump(370);
    await scene.isSilent(...crashed.alarms);
    await control("POST", "/faults", { kind: "slow-answer", operation: "create", seconds: 20 });
    for (const orderNo of ["CRASHES-1", "CRASHES-2", "CRASHES-3"]) await crash(scene, orderNo);
    await control("DELETE", "/faults");
    await scene.jump(2);
    await scene.rings(errors, failing, allFailing);
    await scene.jump(6);
    await scene.isOver(errors);
    await scene.rings(failing);
    expect((await create("WORKS")).status).toBe(201);
    await scene.jump(2);
    await scene.isOver(allFailing);
    await scene.jump(9);
    await scene.isOver(failing);
  },
};

/** Kills create-order while the payment service has the order and has not answered yet. */
async function crash({ operated }: Scene, orderNo: string): Promise<void> {
  const { create, control } = operated.shop();
  const answer = create(orderNo);
  await until("the service to have the order", async () => {
    const { orders } = await control("GET", "/orders");
    return orders.some((order: { orderNo: string }) => order.orderNo === orderNo) || undefined;
  });
  await operated.stack().crash("create-order");
  expect((await answer).status).toBe(500);
}

/** Half a minute short of an hour. */
const almostAnHour = 3_570_000;

const unreadable: Walk = {
  trouble: "an order that somebody has changed by hand cannot be read",
  section: "reconciliation-late",
  alarms: ["ReconciliationLateAlarm"],
  take: async (scene) => {
    const { operated } = scene;
    const clients = operated.clients();
    const { tables } = operated.stack().description;
    await operated.shop().create("CHANGED");
    const aggregateKey = "shop-1#order#CHANGED";
    const item = await getItem(clients.dynamodb, tables.orders, { aggregateKey });
    const dueAtMilliseconds = (await scene.now()) - almostAnHour + 3 * 60_000;
    const changes = { revision: "many", dueAtMilliseconds };
    await putItem(clients.dynamodb, tables.orders, { ...item, ...changes });
    await scene.jump(2);
    await scene.isSilent("ReconciliationLateAlarm");
    await scene.jump(4);
    const { out } = await scene.rings("ReconciliationLateAlarm");
    expect(out).toMatch(/overdue orders +1 order /);
    const Key = { aggregateKey: { S: aggregateKey } };
    await clients.dynamodb.send(new DeleteItemCommand({ TableName: tables.orders, Key }));
    await scene.jump(2);
    await scene.rings("ReconciliationLateAlarm");
    await scene.jump(6);
    await scene.isOver("ReconciliationLateAlarm");
  },
};

export const functionWalks = [attention, crashed, unreadable, tablesGone];
