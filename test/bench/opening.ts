import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { makeAlipayWay } from "./alipay-way.ts";
import { makeBareVerify } from "./bare-verify.ts";
import { type Cipher, makeOpeningByHand, makeWayByHand } from "./by-hand.ts";
import { type Comparison, timed } from "./compare.ts";
import type { SampleMessage } from "./sample-message.ts";
import { makeWechatpayWay } from "./wechatpay-way.ts";

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

/**
 * Above what was measured on a quiet machine (docs/decisions/0006-few-kilobytes-on-the-cold-path.md), so that they also
 * hold on a busy one.
 */
const mostOpening = 1.4;
const mostWhole = 1.8;

/**
 * The floor is the same work by hand, for this one message. The other libraries end with the decrypted result object:
 * each is compared with opening alone, under the same cipher.
 */
export function compareOpening(
  sample: SampleMessage,
  bundled: typeof import("./callback-way.ts"),
): Comparison {
  const works = {
    "bare RSA-2048 verify": makeBareVerify(sample),
    ...waysUnder("CBC", {}),
    ...waysUnder("GCM", { cipher: "GCM", iv: "prefixed" }),
    [wechatpay]: makeWechatpayWay(sample),
    [alipay]: makeAlipayWay(sample, "all fields"),
    "alipay-sdk, AES-CBC, payment": makeAlipayWay(sample, "payment"),
  };
  const effort = { warmUpCalls: 3_000, callsPerRound: 150 };
  return {
    title: `Processor time per callback, warm, medians. Paycast: opened, inbox message written and
stamped, result object typed; opening alone ends where the others end.`,
    unit: "µs",
    rounds: 21,
    contenders: Object.fromEntries(
      Object.entries(works).map(([name, work]) => [name, timed(work, effort)]),
    ),
    bounds: [
      { slower: names.CBC.open, faster: floors.CBC.open, atMost: mostOpening },
      { slower: names.GCM.open, faster: floors.GCM.open, atMost: mostOpening },
      { slower: names.CBC.whole, faster: floors.CBC.whole, atMost: mostWhole },
      { slower: names.GCM.whole, faster: floors.GCM.whole, atMost: mostWhole },
      { slower: wechatpay, faster: names.GCM.open, atLeast: 1.2 },
      { slower: alipay, faster: names.CBC.open, atLeast: 2.5 },
    ],
  };

  function waysUnder(cipher: Cipher, profile: ProfileInput): Record<string, () => unknown> {
    const envelope = bundled.sealed(sample, profile);
    return {
      [floors[cipher].open]: makeOpeningByHand(sample, cipher, envelope),
      [floors[cipher].whole]: makeWayByHand(sample, cipher, envelope),
      [names[cipher].open]: bundled.makeOpenWay(sample, profile),
      [names[cipher].whole]: bundled.makeCallbackWay(sample, profile),
    };
  }
}
