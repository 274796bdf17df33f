import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { expect } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";
import { getItem, putItem } from "../../integration/aws-stores.ts";
import { deleteTable } from "../causes.ts";
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
    const { clients, tables } = scene.operated.target();
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

const crashed: Walk = {
  trouble: "a function crashes",
  section: "function-errors",
  alarms: ["FunctionErrorsAlarm"],
  take: async (scene) => {
    const { create, control } = scene.operated.shop();
    await scene.isSilent("FunctionErrorsAlarm");
    await control("POST", "/faults", { kind: "slow-answer", operation: "create", seconds: 20 });
    const answer = create("CRASHES");
    await until("the service to have the order", async () => {
      const { orders } = await control("GET", "/orders");
      return orders.some(({ orderNo }: { orderNo: string }) => orderNo === "CRASHES") || undefined;
    });
    await scene.operated.stack().crash("create-order");
    expect((await answer).status).toBeGreaterThanOrEqual(500);
    await control("DELETE", "/faults");
    await scene.jump(2);
    await scene.rings("FunctionErrorsAlarm");
    await scene.jump(2);
    await scene.rings("FunctionErrorsAlarm");
    await scene.jump(4);
    await scene.isOver("FunctionErrorsAlarm");
  },
};

/** Half a minute short of an hour. */
const almostAnHour = 3_570_000;

const unreadable: Walk = {
  trouble: "an order that somebody has changed by hand cannot be read",
  section: "reconciliation-late",
  alarms: ["ReconciliationLateAlarm"],
  take: async (scene) => {
    const { operated } = scene;
    const { clients, tables } = operated.target();
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
