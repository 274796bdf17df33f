import { expect, test } from "vitest";
import type { Finding } from "../../../../tools/operations/check/finding.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { keySetup, requestFile } from "./key-setup.ts";

const operated = useOperatedStack();
const setup = keySetup(operated);
const check = () => setup.keys("check", "shop-1");

/** At the speed of this clock an order of 30 minutes expires after 18 seconds, and a callback tells of it. */
const longLived = () => ({ paymentExpiryTime: Date.now() + 23 * 3_600_000 });
const set = (file: string, ...flags: string[]) =>
  setup.keys("set", "shop-1", "--request-keys", file, "--yes", ...flags);
const secret = () => operated.target().stack.merchants[0]!.requestKeys!;

test("request keys are proven by the answer 20000 to a question about a payment that is known", async () => {
  const { body } = await operated.shop().create("PROOF", longLived());
  const proof = `proven: the service responded to a query about payment ${body.paymentId} with 20000.`;
  const { out } = await check();
  expect(out).toContain(`\nThe request keys are ${proof}\nThe keys are good.`);
  const findings = await operated.paycastJson("check");
  const found = findings.find(({ check: name }: Finding) => name === "request keys of shop-1");
  expect(found).toMatchObject({ status: "ok", message: expect.stringContaining(` ${proof}`) });
});

test("request keys that the service accepts become current, and others only as --unproven", async () => {
  const { AWSCURRENT: right } = await setup.stagesOf(secret());
  const wrong = requestFile();
  const refused = await set(wrong);
  expect(refused.out).toMatch(
    /Warning: The new request keys are not proven: the service responded to a query about payment \w+ with 40103: body cannot be decrypted\. If the service/,
  );
  expect(refused.out).toContain("To do it anyway, add --unproven.");
  expect(refused.code).toBe(1);
  expect(await setup.stagesOf(secret())).toEqual({ AWSCURRENT: right });

  const rightFile = writtenFile(await setup.textOf(secret()));
  expect((await set(wrong, "--unproven")).code).toBe(0);
  const { out } = await check();
  expect(out).toMatch(/Warning: The request keys are not proven: .* 40103: body cannot be decr/);
  expect(out).not.toContain("The keys are good.");
  const checked = await operated.paycast("check");
  expect(checked.out).toMatch(
    /^warning +request keys of shop-1 .* They are not proven: .* 40103: /m,
  );
  expect(checked.out).toContain("npx paycast keys restore shop-1 --only request");

  expect(await set(rightFile)).toMatchObject({
    code: 0,
    out: expect.stringContaining("The new request keys are proven: the service responded"),
  });
});
