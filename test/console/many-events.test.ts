import { expect, test } from "vitest";
import { useDeployedStack } from "../operations/deployed-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { ownDay, record } from "../operations/replay/recorded-events.ts";
import { openConsole } from "./open-console.ts";
import { serveDeployed } from "./serve-deployed.ts";

const operated = useOperatedStack();
const deployed = useDeployedStack(operated);
const day = ownDay();

/** Events of one hour of that day, each of an order of its own, five to a second. */
async function happen(name: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => {
    const time = new Date(index * 200).toISOString().slice(14, 23);
    return { orderNo: `${name}-${index}`, recordedAt: day.at(`12:${time}`) };
  });
  await record(operated.target(), ...events);
}

/** How often a console that remembers nothing asks AWS for this view. */
async function callsFor(path: string): Promise<number> {
  const served = await serveDeployed();
  const page = await openConsole(served.url);
  const before = deployed().calls.length;
  await page.view(path);
  const calls = deployed().calls.length - before;
  await served.stop();
  return calls;
}

test("a view asks for no more if there are thousands of events than if there are hundreds", async () => {
  const before = day.at("13:00:00.000");
  const paths = ["/api/flow", `/api/orders?before=${before}`];
  paths.push(`/api/orders?before=${before}&status=pending`);
  const ask = async () => {
    const calls: number[] = [];
    for (const path of paths) calls.push(await callsFor(path));
    return calls;
  };
  await happen("FEW", 600);
  const few = await ask();
  await happen("MANY", 1_500);
  expect(await ask()).toEqual(few);
});
