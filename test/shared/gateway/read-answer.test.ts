import { describe, expect, test } from "vitest";
import { readSuccess } from "../../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { readQueryAnswer } from "../../../shared/gateway/operations.ts";
import { thrownBy } from "../../builders/thrown-by.ts";

const data = { paymentId: "P1" };

/** As the result of a query. */
function read(answer: unknown, status = 200, retryAfter?: string) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return readQueryAnswer(readSuccess({ status, text, retryAfter }));
}

const errorOf = (answer: unknown, status = 200, retryAfter?: string) =>
  thrownBy(GatewayError, () => read(answer, status, retryAfter));

describe("a success", () => {
  test.each([20000, "20000"])("is the code %j", (code) => {
    expect(read({ code, msg: "SUCCESS", data })).toEqual(data);
  });

  test("may lack its message, and may hold fields that nobody knows", () => {
    expect(read({ code: 20000, data: { ...data, more: [1] }, trace: { id: 7 } })).toEqual({
      ...data,
      more: [1],
    });
    expect(read({ code: 20000, msg: null, data })).toEqual(data);
  });

  test("may hold a number without an exact reading where no number is used", () => {
    const elsewhere = '{"code":20000,"data":{"paymentId":"P1"},"traceId":1e999}';
    expect(read(elsewhere)).toEqual(data);
    const amount = '{"code":20000,"data":{"paymentId":"P1","payAmount":1e999}}';
    expect(errorOf(amount).failure).toBe("unreadable");
  });

  test("has its long numbers as text, and an exponent expanded", () => {
    const reply = '{"code":20000,"data":{"paymentId":1E+3,"payAmount":90071992547409.93}}';
    expect(read(reply)).toMatchObject({ paymentId: "1000" });
  });
});

describe("a refusal", () => {
  test.each([40001, "40001"])("is the code %j, passed on with the service's words", (code) => {
    expect(errorOf({ code, msg: "orderNo was used before" })).toMatchObject({
      code: "gateway-refused",
      failure: "refused",
      retryable: false,
      refusal: { code: "40001", msg: "orderNo was used before" },
    });
  });

  test.each([200, 302, 400, 404, 422])(
    "with an envelope stays the service's own under HTTP %i, and says that nothing was done",
    (status) => {
      expect(errorOf({ code: 50001, msg: "closed" }, status)).toMatchObject({
        failure: "refused",
        refusal: { code: "50001", msg: "closed" },
        mayHaveActed: false,
      });
    },
  );

  test.each([undefined, null, 7, { en: "closed" }])("is one whatever its message: %j", (msg) => {
    expect(errorOf({ code: 50001, msg }).refusal).toEqual({ code: "50001", msg: "" });
  });

  test.each([400, 401, 404, 422])("is HTTP %i without an envelope", (status) => {
    expect(errorOf("<html>no</html>", status)).toMatchObject({
      failure: "refused",
      refusal: { code: `http-${status}`, msg: "" },
    });
  });

  test("is shortened, without half a character at its end", () => {
    const { refusal } = errorOf({ code: "4".repeat(500), msg: `${"x".repeat(999)}🛒` });
    expect(refusal).toEqual({ code: "4".repeat(64), msg: `${"x".repeat(999)}\ufffd` });
  });

  test.each([0, -1, "", "SUCCESS", "20000 ", 20000.5])("is any other code: %j", (code) => {
    expect(errorOf({ code, data }).failure).toBe("refused");
  });
});

describe("an answer cannot be read", () => {
  test.each([
    ["empty", ""],
    ["HTML", "<html><body>Please try again later</body></html>"],
    ["cut off", '{"code":20000,"msg":"SUCC'],
    ["not an object", "[20000]"],
    ["null", "null"],
    ["without a code", '{"msg":"SUCCESS","data":{"paymentId":"P1"}}'],
    ["with a code of another type", '{"code":true,"data":{"paymentId":"P1"}}'],
    ["a success without data", '{"code":20000,"msg":"SUCCESS"}'],
    ["a success with data of another shape", '{"code":20000,"data":[7]}'],
  ])("if it is %s", (_case, text) => {
    expect(errorOf(text)).toMatchObject({ failure: "unreadable", retryable: true });
  });

  test.each([204, 302])("if it is HTTP %i without an envelope", (status) => {
    expect(errorOf("", status).failure).toBe("unreadable");
  });

  test.each([201, 202, 404, 500])("if it is a success under HTTP %i", (status) => {
    expect(errorOf({ code: 20000, msg: "SUCCESS", data }, status).failure).toBe("unreadable");
  });

  test("and the error holds nothing of it", () => {
    const error = errorOf('{"code":20000,"data":"Canary-Name"}');
    expect(error.message).not.toContain("Canary-Name");
    expect(errorOf("Canary-Name").message).not.toContain("Canary-Name");
  });
});

describe("the outcome is unknown under a server's error, whatever it says:", () => {
  test.each([408, 500, 502, 503, 504])("HTTP %i with the service's own words", (status) => {
    expect(errorOf({ code: 50000, msg: "no" }, status)).toMatchObject({
      failure: "unreadable",
      refusal: { code: "50000", msg: "no" },
      mayHaveActed: true,
    });
  });

  test.each([408, 500, 502, 503, 504])("HTTP %i without a word", (status) => {
    expect(errorOf("", status)).toMatchObject({
      failure: "unreadable",
      refusal: { code: `http-${status}`, msg: "" },
      mayHaveActed: true,
    });
  });
});

describe("HTTP 429 is a service that is busy", () => {
  test.each([
    ["with its own words", { code: 42900, msg: "slow down" }, { code: "42900", msg: "slow down" }],
    ["without a word", "", { code: "http-429", msg: "" }],
  ])("and has done nothing, %s", (_case, answer, refusal) => {
    expect(errorOf(answer, 429)).toMatchObject({ failure: "busy", refusal, mayHaveActed: false });
  });

  test.each([
    ["1", 1],
    ["17", 17],
    ["60", 60],
    ["61", 5],
    ["0", 5],
    ["-3", 5],
    ["1.5", 5],
    ["", 5],
    ["99999999999", 5],
    ["Sun, 15 Nov 2026 01:22:45 GMT", 5],
    [undefined, 5],
  ])("and says when to come back: Retry-After %j is %i seconds", (retryAfter, seconds) => {
    expect(errorOf("", 429, retryAfter).retryAfterSeconds).toBe(seconds);
  });

  test("unless it claims success at the same time: then the outcome is unknown", () => {
    expect(errorOf({ code: 20000, data }, 429).failure).toBe("unreadable");
  });
});
