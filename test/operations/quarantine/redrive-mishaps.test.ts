import { describe, expect, test } from "vitest";
import { main } from "../../../cli/main.ts";
import { planQuarantineRedrive } from "../../../operations/quarantine/plan-redrive.ts";
import { redriveQuarantine } from "../../../operations/quarantine/redrive-quarantine.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { createColours } from "../../../shared/terminal-text.ts";
import { to } from "../../integration/fault-proxy.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { letter, letterCount, idOf, idsOf, stored, eventsAbout, published, putFixed } =
  useQuarantineDesk(operated);

/** The command of a user who has pressed Ctrl-C. */
async function stoppedPaycast(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    errIsTty: false,
    colours: createColours(false),
    stopped: AbortSignal.abort(),
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("when something goes wrong in the middle", () => {
  test("without an audit line nothing is changed", async () => {
    const fixed = callback();
    await putFixed(fixed);
    const plan = await planQuarantineRedrive(operated.target(), { ids: [await idOf(fixed)] });
    const audit = async () => {
      throw new PaycastError("aws-denied", "no audit");
    };
    await expect(redriveQuarantine({ ...operated.target(), audit }, plan)).rejects.toThrow("audit");
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(await stored(fixed)).toMatchObject([{ outcome: "quarantined" }]);
  });

  test("a send that fails deletes nothing and gives everything back", async () => {
    const asides = [callback(), callback()];
    for (const one of asides) {
      await putFixed(one);
    }
    const { target, proxy } = await faultyTarget(operated);
    const plan = await planQuarantineRedrive(target, { filter: {} });
    const denied = { status: 403, type: "com.amazonaws.sqs#AccessDenied" };
    proxy.fail(to("sqs", "SendMessage"), { kind: "refuse", error: denied });
    const redriven = await redriveQuarantine(target, plan);
    expect(redriven).toMatchObject({ sent: [], end: "failed" });
    expect(redriven.failure).toMatchObject({ name: "AccessDenied" });
    expect(await letterCount()).toEqual({ visible: 2, held: 0 });
  });

  test("killed between send and delete, nothing is lost and nothing is published twice", async () => {
    const fixed = callback();
    await putFixed(fixed);
    const id = await idOf(fixed);
    let kill = () => {};
    const { directory, proxy } = await faultyTarget(operated, () => kill());
    proxy.fail(to("sqs", "DeleteMessage"), { kind: "die-before" });
    const { child, ended } = spawnPaycast(directory, "quarantine", "redrive", id, "--yes");
    kill = () => void child.kill("SIGKILL");
    expect((await ended).code).toBeNull();
    await published(fixed);
    expect(await letterCount()).toEqual({ visible: 0, held: 1 });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
  });

  test("two operators at once lose nothing and publish each event once", async () => {
    const asides = Array.from({ length: 12 }, () => callback());
    for (const one of asides) {
      await putFixed(one);
    }
    const plan = await planQuarantineRedrive(operated.target(), { ids: await idsOf(asides) });
    const runs = await Promise.all([1, 2].map(() => redriveQuarantine(operated.target(), plan)));
    expect(runs.map(({ end }) => end)).toEqual(["empty", "empty"]);
    for (const one of asides) {
      await published(one);
      expect(await eventsAbout(one.orderNo)).toHaveLength(1);
    }
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  });

  test.each([
    ["redrive", "abcdef", "--yes"],
    ["redrive", "--all", "--yes"],
    ["discard", "abcdef", "--yes"],
    ["show", "abcdef"],
  ])("Ctrl-C while looking ends %s %s as stopped", async (...args) => {
    await letter(callback());
    expect(await stoppedPaycast("quarantine", ...args)).toEqual({
      code: 1,
      out: "",
      // A command that would change something names its target first.
      err: expect.stringMatching(
        /^(Target: the local stack\n)?Stopped while looking\. Nothing was changed\.\n$/,
      ),
    });
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
  });

  test("Ctrl-C sends nothing more and gives everything back", async () => {
    for (const one of [callback(), callback()]) await letter(one);
    const plan = await planQuarantineRedrive(operated.target(), { filter: {} });
    const stopped = AbortSignal.abort();
    const redriven = await redriveQuarantine(operated.target(), plan, { stopped });
    expect(redriven).toMatchObject({ sent: [], end: "stopped", notSent: plan.ids.length });
    expect(await letterCount()).toEqual({ visible: 2, held: 0 });
  });
});
