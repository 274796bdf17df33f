import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { readOptions } from "../setup/read-options.ts";
import { makeAlipayWay } from "./alipay-way.ts";
import { makeBareVerify } from "./bare-verify.ts";
import { type Cipher, makeOpeningByHand, makeWayByHand } from "./by-hand.ts";
import { benchColdImport } from "./cold-import.ts";
import { type Contender, measure, median, medianRatio, type Timings } from "./measure.ts";
import { benchRefusals } from "./refusals.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { makeWechatpayWay } from "./wechatpay-way.ts";
import { benchWholeHandler } from "./whole-handler.ts";

const bare = "bare RSA-2048 verify";
const names = {
  CBC: { whole: "Paycast, AES-CBC (the default)", open: "Paycast, AES-CBC, opening alone" },
  GCM: { whole: "Paycast, AES-GCM", open: "Paycast, AES-GCM, opening alone" },
};
const floors = {
  CBC: { whole: "by hand, AES-CBC", open: "by hand, AES-CBC, opening alone" },
  GCM: { whole: "by hand, AES-GCM", open: "by hand, AES-GCM, opening alone" },
};
const wechatpay = "wechatpay-node-v3, AES-GCM";
const alipay = "alipay-sdk, AES-CBC, all fields signed";
const alipayPayment = "alipay-sdk, AES-CBC, payment";

/** A little above what was measured: docs/decisions/0006-few-kilobytes-on-the-cold-path.md. */
const mostOpening = 1.3;
const mostWhole = 1.6;

interface Bound {
  readonly slower: string;
  readonly faster: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/**
 * The floor is the same work by hand, for this one message. The other libraries end with the decrypted result object:
 * each is compared with opening alone, under the same cipher.
 */
const bounds: readonly Bound[] = [
  { slower: names.CBC.open, faster: floors.CBC.open, atMost: mostOpening },
  { slower: names.GCM.open, faster: floors.GCM.open, atMost: mostOpening },
  { slower: names.CBC.whole, faster: floors.CBC.whole, atMost: mostWhole },
  { slower: names.GCM.whole, faster: floors.GCM.whole, atMost: mostWhole },
  { slower: wechatpay, faster: names.GCM.open, atLeast: 2.5 },
  { slower: alipay, faster: names.CBC.open, atLeast: 4 },
];

const help = `npm run bench

Measures the processor time of a callback beside the same work by hand and beside other libraries, and fails if a ratio
is outside its bound. Ratios within one run are comparable; times are not.

  --help   print this help
`;

/** `npm run bench`. */
readOptions(help, {});
const sample = makeSampleMessage();
const { makeCallbackWay, makeOpenWay, makeRefusedWay, sealed } = await importBundled();
const timings = await measure(
  {
    [bare]: makeBareVerify(sample),
    ...waysUnder("CBC", {}),
    ...waysUnder("GCM", { cipher: "GCM", iv: "prefixed" }),
    [wechatpay]: makeWechatpayWay(sample),
    [alipay]: makeAlipayWay(sample, "all fields"),
    [alipayPayment]: makeAlipayWay(sample, "payment"),
  },
  { warmUpCalls: 3_000, rounds: 31, callsPerRound: 150 },
);

console.log(
  "Processor time per callback, warm, medians. Paycast: opened, inbox message written and",
);
console.log("stamped, result object typed; opening alone ends where the others end.\n");
for (const name of Object.keys(timings)) console.log(describe(timings, name));
console.log("");
for (const bound of bounds) console.log(verdict(bound));
const refusalsHold = await benchRefusals(sample, makeRefusedWay);
const importHolds = await benchColdImport();
const handlerHolds = await benchWholeHandler();
const all = [bounds.every(holds), refusalsHold, importHolds, handlerHolds];
process.exitCode = all.every(Boolean) ? 0 : 1;

function waysUnder(cipher: Cipher, profile: ProfileInput): Record<string, Contender> {
  const envelope = sealed(sample, profile);
  return {
    [floors[cipher].open]: makeOpeningByHand(sample, cipher, envelope),
    [floors[cipher].whole]: makeWayByHand(sample, cipher, envelope),
    [names[cipher].open]: makeOpenWay(sample, profile),
    [names[cipher].whole]: makeCallbackWay(sample, profile),
  };
}

/** Bundled as for Lambda: a loader of TypeScript would add costs that are not deployed. */
async function importBundled(): Promise<typeof import("./callback-way.ts")> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-bench-"));
  try {
    const entry = fileURLToPath(new URL("callback-way.ts", import.meta.url));
    const { directory } = await bundle("callback-way", entry, folder);
    return await import(pathToFileURL(join(directory, "index.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describe(all: Timings, name: string): string {
  const microseconds = median(all[name] ?? [])
    .toFixed(1)
    .padStart(9);
  const ratio = medianRatio(all, name, bare).toFixed(2).padStart(7);
  return `${name.padEnd(40)}${microseconds} µs${ratio} × bare verify`;
}

function holds({ slower, faster, atMost = Infinity, atLeast = 0 }: Bound): boolean {
  const ratio = medianRatio(timings, slower, faster);
  return ratio <= atMost && ratio >= atLeast;
}

function verdict(bound: Bound): string {
  const { slower, faster, atMost, atLeast } = bound;
  const ratio = medianRatio(timings, slower, faster).toFixed(2);
  const wanted = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return `${holds(bound) ? "PASS" : "FAIL"}  ${slower} takes ${ratio} × ${faster} (${wanted})`;
}
