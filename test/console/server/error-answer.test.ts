import { expect, test } from "vitest";
import * as z from "zod";
import { errorAnswer } from "../../../console/server/error-answer.ts";

test("data of the stack that has another form is not called a fault of the request", () => {
  const { error } = z.object({ recordedAt: z.string() }).safeParse({ recordedAt: 1 });
  expect(errorAnswer(error)).toEqual({
    status: 500,
    body: {
      error: {
        code: "console-failed",
        message:
          "Something in the stack does not have the form that this version expects: recordedAt must be a string.",
      },
    },
  });
});
