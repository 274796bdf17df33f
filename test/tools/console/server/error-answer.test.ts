import { expect, test } from "vitest";
import * as z from "zod";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";
import { errorAnswer } from "../../../../tools/console/server/route.ts";

test("data of the stack that has another form is not called a fault of the request", () => {
  const { error } = z.object({ recordedAt: z.string() }).safeParse({ recordedAt: 1 });
  expect(errorAnswer(error)).toEqual({
    status: 500,
    body: {
      error: {
        code: "stored-unreadable",
        message:
          "Something in the stack does not have the form that this version expects: recordedAt must be a string.",
      },
    },
  });
});

test("a time that nobody can have meant is a fault of the request", () => {
  const error = new PaycastError("time-out-of-range", "The time is not between 1970 and 9999.");
  expect(errorAnswer(error)).toMatchObject({ status: 400 });
});
