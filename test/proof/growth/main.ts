import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables } from "../../../tools/contract/documents/markdown-table.ts";
import { readOptions, refuse } from "../../setup/read-options.ts";
import { root, writeFigures } from "../measured.ts";
import {
  countSubscribers,
  countThings,
  faultsOf,
  growthTable,
  type Round,
  type Usage,
} from "./count.ts";
import { things } from "./things.ts";

const help = `npm run proof -- growth [--sizes N,N]

Counts what each function, command and page reads and writes at AWS while the tables grow, and fails if anything grows
with them. Writing the records of one size ends after half an hour. The results go to docs/proof/growth.json and
docs/scale.md.

  --sizes N,N   how many records (1000,100000,1000000)
  --help        print this help
`;

/** `npm run proof -- growth`. */
const values = readOptions(help, { sizes: { type: "string", default: "1000,100000,1000000" } });
const sizes = values.sizes.split(",").map(Number);
if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0)) {
  refuse(`--sizes is "${values.sizes}", not a list of positive integers.`);
}
/** Close to the most that fit into the 4 KB of a function's environment. */
const mostSubscribers = 15;

const [single, two, most] = await countSubscribers([1, 2, mostSubscribers]);
const subscribers = { one: single, two, most, mostSubscribers };
const rounds = await countThings(sizes, things, write);
const faults = [...faultsOf(rounds), ...subscriberFaults(single, two, most)];
for (const fault of faults) console.log(`It grows: ${fault}`);
console.log(faults.length === 0 ? "Nothing grows." : "");
process.exitCode = faults.length === 0 ? 0 : 1;

function write(so: readonly Round[]): void {
  console.log(`counted with ${so.at(-1)?.size.toLocaleString("en-US")} records`);
  const scale = join(root, "docs/scale.md");
  writeFigures(join(root, "docs/proof/growth.json"), { rounds: so, subscribers });
  writeFileSync(scale, fillTables(readFileSync(scale, "utf8"), { growth: growthTable(so) }));
}

type Counted = readonly Usage[] | undefined;

/** Each further subscriber adds as much as the second did. */
function subscriberFaults(single: Counted, two: Counted, most: Counted): string[] {
  return (two ?? []).flatMap(({ calls }, index) => {
    const expected = calls + (mostSubscribers - 2) * (calls - (single?.[index]?.calls ?? 0));
    const counted = most?.[index]?.calls;
    return counted === expected ? [] : [`with ${mostSubscribers} subscribers: ${counted} calls`];
  });
}
