import { expect, test } from "vitest";
import { createQueueClient } from "../../shared/delivery/send-events.ts";
import { createDatabases } from "../../shared/table/database.ts";

test("the clients have no middleware that copies input and output for a logger", () => {
  const { client } = createDatabases(Date.now)(0);
  for (const { middlewareStack } of [client, createQueueClient()]) {
    const names = middlewareStack.identify();
    expect(names.filter((name) => /retry/i.test(name))).not.toEqual([]);
    expect(names.filter((name) => /logger/i.test(name))).toEqual([]);
  }
});
