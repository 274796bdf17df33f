import { describe, expect, test } from "vitest";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";
import { createPayment, queryPayment } from "../../../shared/gateway/operations.ts";
import { createCallMilliseconds, queryCallMilliseconds } from "../../../shared/timing.ts";
import { createBody, created, makeGateway, settingsOf } from "./make-gateway.ts";

const settings = settingsOf(new URL("http://127.0.0.1/"));
const text = JSON.stringify({ code: 20000, msg: "SUCCESS", data: created });

/** A gateway each of whose posts takes the time given, at most its timeout, and then fails. */
function makeFailing(failure: GatewayFailure, milliseconds = Infinity) {
  const gateway = makeGateway({
    post: async (_url, _json, timeoutMilliseconds) => {
      gateway.pass(Math.min(milliseconds, timeoutMilliseconds));
      throw new GatewayError(failure);
    },
  });
  return gateway;
}

/** A gateway that succeeds at once after the keys took this long. */
function makeSlowKeys(milliseconds: number) {
  const gateway = makeGateway({
    onKeys: () => gateway.pass(milliseconds),
    post: async () => ({ status: 200, text }),
  });
  return gateway;
}

const create = ({ call }: ReturnType<typeof makeGateway>) =>
  createPayment(call, settings, "M1", createBody);
const query = ({ call }: ReturnType<typeof makeGateway>) =>
  queryPayment(call, settings, "M1", "P1");

async function timeOf(gateway: ReturnType<typeof makeGateway>, calling: Promise<unknown>) {
  const startedAt = gateway.now();
  await expect(calling).rejects.toThrow(GatewayError);
  return gateway.now() - startedAt;
}

describe("a create", () => {
  test("may take its whole budget for one attempt, and then ends", async () => {
    for (const failure of ["timed-out", "unreachable"] as const) {
      const gateway = makeFailing(failure);
      expect(await timeOf(gateway, create(gateway))).toBe(createCallMilliseconds);
      expect(gateway.timeouts).toEqual([createCallMilliseconds]);
    }
  });

  test("is tried again within the same budget if nothing was sent", async () => {
    const gateway = makeFailing("unreachable", 4_000);
    expect(await timeOf(gateway, create(gateway))).toBeLessThanOrEqual(createCallMilliseconds);
    const [pause = 0] = gateway.pauses;
    expect(gateway.timeouts.slice(0, 2)).toEqual([
      createCallMilliseconds,
      createCallMilliseconds - 4_000 - pause,
    ]);
  });

  test("is not begun again with too little time to hear the answer", async () => {
    const gateway = makeFailing("unreachable", createCallMilliseconds - 700);
    await timeOf(gateway, create(gateway));
    expect(gateway.timeouts).toHaveLength(1);
    expect(gateway.pauses).toEqual([]);
  });
});

describe("a query", () => {
  test("has half of its budget for an attempt, so that a second one fits", async () => {
    const gateway = makeFailing("timed-out");
    expect(await timeOf(gateway, query(gateway))).toBe(queryCallMilliseconds);
    const [pause = 0] = gateway.pauses;
    const half = queryCallMilliseconds / 2;
    expect(gateway.timeouts).toEqual([half, half - pause]);
  });
});

describe("the time that the keys take", () => {
  test("is taken from the budget", async () => {
    const gateway = makeSlowKeys(1_400);
    await create(gateway);
    expect(gateway.timeouts).toEqual([createCallMilliseconds - 1_400]);
  });

  test("may use the budget up, and then nothing is sent", async () => {
    for (const late of [createCallMilliseconds - 499, createCallMilliseconds + 1]) {
      const gateway = makeSlowKeys(late);
      await expect(create(gateway)).rejects.toMatchObject({ code: "out-of-time" });
      expect(gateway.timeouts).toEqual([]);
    }
  });
});
