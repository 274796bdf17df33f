import { expect, test, vi } from "vitest";
import { read } from "../../../../tools/console/page/api.ts";

async function problemOf(body: string) {
  vi.stubGlobal("fetch", async () => new Response(body, { status: 502 }));
  return await read("/api/overview").catch((error: unknown) => error);
}

test("an error of the console is shown with its code", async () => {
  const body = JSON.stringify({ error: { code: "not-found", message: "No such order." } });
  expect(await problemOf(body)).toMatchObject({ code: "not-found", message: "No such order." });
});

test.each([
  ["is not JSON", "<h1>Bad gateway</h1>"],
  ["has no error", '{"message":"Bad gateway"}'],
  ["is no object", "null"],
  ["has an error without a code", '{"error":"Bad gateway"}'],
])("an error whose body %s is shown as it is", async (_case, body) => {
  expect(await problemOf(body)).toMatchObject({ code: "console-failed", message: body });
});
