import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { followFaults } from "../../../local/story/follow-faults.ts";
import { loadOrMakeKeys } from "../../../simulator/merchants/keys-folder.ts";
import { startSimulator } from "../../../simulator/start-simulator.ts";

test("a fault is told when it is switched on and when it is off, and nothing in between", async () => {
  const folder = mkdtempSync(join(tmpdir(), "paycast-faults-"));
  const merchants = await loadOrMakeKeys(join(folder, "keys"), ["shop-1"], undefined);
  const simulator = await startSimulator({ merchants });
  const lines: string[] = [];
  const following = followFaults(simulator.url, (line) => lines.push(line));
  const toldSoFar = (expected: string[]) =>
    expect.poll(() => lines, { timeout: 20_000 }).toEqual(expected);
  simulator.addFault({ kind: "lose" });
  await toldSoFar(["fault lose is on"]);
  const id = simulator.addFault({ kind: "send-twice", orderNo: "A\u001b[2J" });
  const on = ["fault lose is on", "fault send-twice for A\ufffd[2J is on"];
  await toldSoFar(on);
  simulator.removeFault(id);
  await toldSoFar([...on, "fault send-twice for A\ufffd[2J is off"]);
  await following.stop();
  simulator.clearFaults();
  await simulator.stop();
  expect(lines).toHaveLength(3);
  rmSync(folder, { recursive: true });
});
