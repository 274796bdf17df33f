import { expect, test } from "vitest";
import { smokeName } from "../../../../shared/smoke-merchant.ts";
import { answerOf } from "../../../../tools/operations/requests/answers.ts";
import { readRequestLine } from "../../../../tools/operations/telemetry/request-lines.ts";

const answerTo = (fields: object) =>
  answerOf(
    readRequestLine(
      JSON.stringify({
        service: "receive-callback",
        outcome: "not-authentic",
        httpStatus: 401,
        timestamp: 1,
        durationMilliseconds: 1,
        ...fields,
      }),
    )!,
  );

test("check's empty request and a refused smoke test are not in the list of refused callbacks", () => {
  expect(answerTo({ reason: "wrong-signature", merchantId: "shop-1" })).toBe("refused");
  expect(answerTo({ reason: "wrong-signature", merchantId: smokeName })).toBe("wrong-request");
  const empty = { outcome: "not-an-envelope", httpStatus: 400, reason: "empty-body" };
  expect(answerTo(empty)).toBe("wrong-request");
});
