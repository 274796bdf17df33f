import { expect, test } from "vitest";
import { refusalVerdict } from "../../../../tools/operations/check/key-checks.ts";

const refused = (kind: "all" | "service" | "forged" | "over" | "unclear") => {
  const refusals = { merchantId: "shop-1", kind, text: "Callbacks are refused.", action: "Ask." };
  return refusalVerdict(refusals, "The keys are new.");
};

test("if every callback is refused, it is a problem, with what is known of the keys", () => {
  expect(refused("all")).toEqual({
    status: "problem",
    message: "Callbacks are refused. The keys are new.",
    action: "Ask.",
  });
});

test("if the service sends what cannot be accepted, it is a warning", () => {
  expect(refused("service")).toEqual({
    status: "warning",
    message: "Callbacks are refused.",
    action: "Ask.",
  });
});

test.each(["forged", "over", "unclear"] as const)("refusals that are %s need nobody", (kind) => {
  expect(refused(kind)).toBeUndefined();
});
