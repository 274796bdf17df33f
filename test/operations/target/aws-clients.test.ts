import { expect, test } from "vitest";
import { deployedClients } from "../../../operations/target/aws-clients.ts";

test("no client waits without end, and none ends a long poll too early", async () => {
  const { region: _, destroy, ...clients } = deployedClients();
  for (const { config } of Object.values(clients)) {
    // The handler reads its settings with the first request, so that the test asks for them as they were given.
    const handler = config.requestHandler as unknown as { configProvider: Promise<object> };
    expect(await handler.configProvider).toMatchObject({
      connectionTimeout: 5_000,
      requestTimeout: 25_000,
      throwOnRequestTimeout: true,
    });
  }
  destroy();
});
