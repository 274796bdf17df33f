import { expect, test } from "vitest";
import { physicalName } from "../../../../tools/local/stack/template/stack-context.ts";

test("a resource's name has the stack's name and as much of the end of its id as fits", () => {
  expect(physicalName("shop", "InboxMessages1A2B", 80)).toBe("shop-InboxMessages1A2B");
  expect(physicalName("shop", "InboxMessages1A2B", 12)).toBe("shop-ges1A2B");
});
