import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTurns } from "../../bench/compare.ts";
import { readOptions } from "../../setup/read-options.ts";
import { root, writeFigures } from "../measured.ts";
import { startContenders } from "./contenders.ts";
import { type Contender, drive } from "./drive.ts";
import { plot } from "./plot.ts";
import { isSaturated, type Step } from "./step.ts";

const help = `npm run proof -- load

Sends callbacks at rising rates until saturation: to the stack, and to the same SDK calls without the stack. Nothing
else may run on the machine. The results go to docs/proof/load.json and docs/images/load.svg.

  --help   print this help
`;

/** `npm run proof -- load`. */
readOptions(help, {});
const seconds = 6;
const rates = [2, 5, 10, 20, 40, 80, 160, 320];
const { stack = [], bare = [] } = await measure();
const most = (steps: readonly Step[]) => Math.max(...steps.map(({ throughput }) => throughput));
const ratios = { throughput: Number((most(stack) / most(bare)).toFixed(2)) };
console.log(ratios);
writeFigures(join(root, "docs/proof/load.json"), { seconds, ratios, stack, bare });
writeFileSync(join(root, "docs/images/load.svg"), plot(stack, bare));
process.exit();

async function measure() {
  const { stack, bare, stop } = await startContenders();
  try {
    for (const contender of [stack, bare]) await drive(contender, 2, 5);
    return await inTurns(rates, { stack: stepsOf(stack), bare: stepsOf(bare) });
  } finally {
    await stop();
  }
}

/** A step for each rate, until the contender is saturated. */
function stepsOf(contender: Contender): (rate: number) => Promise<Step | undefined> {
  let isDone = false;
  return async (rate) => {
    if (isDone) return undefined;
    const step = await drive(contender, rate, seconds);
    console.log(`${contender.name} ${rate}/s: ${textOf(step)}`);
    isDone = isSaturated(step);
    return step;
  };
}

function textOf({ throughput, acknowledged, queued, memoryMebibytes }: Step): string {
  const times = [acknowledged.p50, acknowledged.p99, queued.p50, queued.p99].join("/");
  return `${throughput.toFixed(1)}/s ${times} ms ${memoryMebibytes} MiB`;
}
