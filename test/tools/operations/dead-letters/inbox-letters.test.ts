import { expect, test } from "vitest";
import { until } from "../../../end-to-end/running-stack.ts";
import { attentionSetup } from "../attention/attention-setup.ts";
import { callback } from "../attention/put-aside.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const setup = attentionSetup(operated);
const redrive = (...args: string[]) => paycast("dead-letters", "redrive", "inbox", ...args);
const leftOut = "Skipped: 1 message without the stamp of Paycast. Find out who sent them.";

/** A message that claims to be a callback, as a stranger writes it. */
async function forge() {
  const forged = callback({ orderNo: "FORGED" });
  await setup.foreignToInbox(forged);
  const [letter] = await until("its dead letter", async () => {
    const { letters } = await paycastJson("dead-letters", "list", "inbox");
    return letters.length > 0 ? letters : undefined;
  });
  return letter;
}

test("a redrive of the inbox's dead letters leaves out what has no stamp, and says so", async () => {
  const forged = await forge();
  expect(forged).toMatchObject({ reason: "stamp-missing" });
  expect(forged).not.toHaveProperty("subject");
  const genuine = callback({ orderNo: "GENUINE" });
  await setup.toDeadLetters(genuine);

  const { letters } = await paycastJson("dead-letters", "list", "inbox");
  expect(letters).toContainEqual(
    expect.objectContaining({ subject: "GENUINE", type: "payment.order.success" }),
  );
  const planned = await redrive("--all");
  expect(planned.out).toContain("1 message would be sent to the inbox again.");
  expect(planned.out).toContain(leftOut);
  const done = await redrive("--all", "--yes");
  expect(done).toMatchObject({ code: 1 });
  expect(done.out).toContain("1 message sent to the inbox again.");
  expect(done.out).toContain(leftOut);
  await setup.published(genuine);

  // The same message is still there: it was not sent and did not come back.
  const after = await paycastJson("dead-letters", "list", "inbox");
  expect(after.letters).toMatchObject([{ messageId: forged.messageId }]);
  expect((await paycast("order", "FORGED")).code).toBe(1);

  const byId = await redrive(forged.messageId, "--yes");
  expect(byId).toMatchObject({ code: 1 });
  expect(byId.out).toContain("No dead letters of the inbox to redrive.");
  expect(byId.out).toContain(leftOut);
  expect(await setup.letterCount()).toEqual({ visible: 1, held: 0 });
  await setup.purge();
});
