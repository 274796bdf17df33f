import { expect, test } from "vitest";
import { localVariables } from "../../local/shop-address.ts";

const variablesFor = localVariables("http://127.0.0.1:3009");

test("this machine may send callbacks, if the config lists addresses at all", () => {
  expect(variablesFor({ ALLOWED_SOURCES: '["203.0.113.0/24"]' })).toEqual({
    ALLOWED_SOURCES: '["203.0.113.0/24","127.0.0.0/8","::1"]',
  });
  expect(variablesFor({ INBOX_QUEUE_URL: "x" })).toEqual({});
});

test("the shop of this machine may be where a checkout leads back to", () => {
  expect(variablesFor({ REDIRECT_ORIGINS: "[]" })).toEqual({
    REDIRECT_ORIGINS: '["http://127.0.0.1:3009"]',
  });
});
