import { expect, test } from "vitest";
import { localClients } from "../../../operations/target/aws-clients.ts";
import { explainAwsError } from "../../../operations/target/explain-error.ts";
import { databaseOf } from "../../../operations/target/target.ts";
import { getItem } from "../../../shared/table/items.ts";

test("a table that cannot be reached ends a call at its deadline, and says so", async () => {
  const nowhere = "http://127.0.0.1:9";
  const endpoints = { sqs: nowhere, dynamodb: nowhere, secretsmanager: nowhere };
  const clients = localClients({ region: "us-east-1", ...endpoints });
  const database = databaseOf({ clients }, Date.now, 400);
  const error = await getItem(database, "orders", { aggregateKey: "x" }).catch((thrown) => thrown);
  expect(explainAwsError(error)).toMatchObject({ code: "aws-unreachable" });
  clients.destroy();
});
