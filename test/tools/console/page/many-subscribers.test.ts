import { DeleteQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "../../../setup/browser.ts";
import { useOperatedStack } from "../../operations/operated-stack.ts";
import { useBrowser } from "../browser-pages.ts";
import { findFlawsInLooks } from "../find-violations.ts";

const names = [
  "accounting",
  "analytics",
  "audit",
  "billing",
  "crm",
  "data-warehouse",
  "fraud",
  "fulfilment",
  "loyalty",
  "notifications",
  "order-history",
  "reporting",
  "warehouse-of-northern-countries",
];
const subscribers = names.map((name) => ({ name, types: ["*"] }));

describe.runIf(hasBrowser("many subscribers"))("the flow of a stack with 13 subscribers", () => {
  const operated = useOperatedStack({ subscribers });
  const { open } = useBrowser(() => operated.stack().description.console);
  let page: Page;

  beforeAll(async () => {
    await operated.paidOrder("MANY-1");
    await bury("fraud");
    await removeQueue("reporting");
  });
  beforeEach(async () => {
    page = await open("/", { viewport: { width: 1280, height: 900 } });
    await lines().first().waitFor();
  });

  const subscriberNamed = (name: string) =>
    operated.target().queues.subscribers.find((subscriber) => subscriber.name === name)!;
  const bury = async (name: string) => {
    const { deadLettersUrl: QueueUrl } = subscriberNamed(name);
    const ids = { MessageGroupId: "g", MessageDeduplicationId: "d" };
    const command = new SendMessageCommand({ QueueUrl, MessageBody: "{}", ...ids });
    await operated.clients().sqs.send(command);
  };
  const removeQueue = async (name: string) => {
    const { queueUrl: QueueUrl } = subscriberNamed(name);
    await operated.clients().sqs.send(new DeleteQueueCommand({ QueueUrl }));
  };
  const cards = () => page.locator(".subscribers > .stage h2");
  const lines = () => page.locator(".subscriber-lines > li");

  test("shows those with trouble first and whole, and one line for each of the others", async () => {
    expect(await cards().allInnerTexts()).toEqual([
      "fraud",
      "reporting",
      "11 others, in the queue now",
    ]);
    const shown = await lines().locator("a").allInnerTexts();
    expect(shown).toEqual(names.filter((name) => name !== "fraud" && name !== "reporting"));
    const isThere = async () => {
      const numbers = await lines().locator("strong").allInnerTexts();
      return numbers.length === 11 && numbers.every((number) => Number(number) > 0);
    };
    await expect.poll(isThere, { timeout: 30_000 }).toBe(true);
  });

  test("is not much taller than the rest of the flow, is accessible and fits", async () => {
    const pipeline = await page.locator(".pipeline").boundingBox();
    expect(pipeline!.height).toBeLessThan(900);
    expect(await findFlawsInLooks(page)).toEqual([]);
  });
});
