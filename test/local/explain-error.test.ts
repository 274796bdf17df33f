import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { explainError } from "../../local/stop-on-signal.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

test("an error of Paycast has a message for the user, any other is a bug with a stack trace", () => {
  expect(explainError(new PaycastError("config-invalid", "say what"))).toBe("say what");
  expect(explainError(new TypeError("no function"))).toBeUndefined();
});

test("a port that is taken after the check is explained, too", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [error] = await once(createServer().listen(port, "127.0.0.1"), "error");
  expect(explainError(error)).toBe(
    `Another program has just taken port ${port}. Start again to see which one.`,
  );
  server.close();
});
