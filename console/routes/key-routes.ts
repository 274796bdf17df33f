import * as z from "zod";
import {
  checkKeys,
  type KeysReport,
  type MerchantReport,
} from "../../operations/keys/check-keys.ts";
import { restore } from "../../operations/keys/restore-keys.ts";
import type { Target } from "../../operations/target/target.ts";
import { shellWord } from "../../shared/shell-word.ts";
import type { Desk } from "../desk.ts";
import { describedRoutes } from "../server/described-routes.ts";
import { createLooks } from "../server/looks.ts";
import { type ApiRoute, question, view } from "../server/route.ts";
import { createTurns } from "../server/turns.ts";

export interface KeyCommand {
  readonly purpose: "rotate" | "restore" | "retire" | "leaked" | "set";
  readonly command: string;
}

export interface MerchantKeysView extends MerchantReport {
  /** Keys come from files that only the operator has, so changing them is the command's work. */
  readonly commands: readonly KeyCommand[];
}

export interface KeysView extends Omit<KeysReport, "merchants"> {
  readonly lookedAt: string;
  readonly merchants: readonly MerchantKeysView[];
}

/** As `npx paycast keys check` looks. */
const hours = 24;
/** A look reads up to 50,000 records. On AWS they cost money. */
const freshMilliseconds = { local: 5_000, deployed: 5 * 60_000 };

export function keyRoutes(desk: Desk): ApiRoute[] {
  const { target: find, lab } = desk;
  const looks = createLooks({
    look: async () => {
      const target = await find();
      const report = await checkKeys(target, { hours });
      return { ...report, merchants: report.merchants.map((one) => withCommands(target, one)) };
    },
    takeTurns: createTurns(),
    freshMilliseconds: lab === undefined ? freshMilliseconds.deployed : freshMilliseconds.local,
  });
  const asView = ({ lookedAt, found }: Awaited<ReturnType<typeof looks.last>>): KeysView => {
    return { lookedAt, ...found };
  };
  return [
    view("/api/keys", async () => asView(await looks.last("keys"))),
    question("/api/keys/look", z.object({}), async () => asView(await looks.again("keys"))),
    ...describedRoutes(desk, { name: "keys", operations: [restore] }),
  ];
}

function withCommands(target: Target, merchant: MerchantReport): MerchantKeysView {
  const stack = target.kind === "deployed" ? [`--stack ${shellWord(target.name)}`] : [];
  const line = (verb: string, ...options: string[]) =>
    ["npx paycast keys", verb, shellWord(merchant.merchantId), ...options, ...stack].join(" ");
  const isSet = merchant.secrets.every(
    ({ versions, unread }) =>
      unread !== undefined || versions.some(({ stage }) => stage === "current"),
  );
  const files = "--callback-keys callback-keys.json --request-keys request-keys.json";
  if (!isSet) return { ...merchant, commands: [{ purpose: "set", command: line("set", files) }] };
  const withPrevious = merchant.secrets.filter(({ versions }) =>
    versions.some(({ stage }) => stage === "previous"),
  );
  const back = withPrevious.map(
    ({ kind }): KeyCommand => ({ purpose: "restore", command: line("restore", `--only ${kind}`) }),
  );
  const retire: KeyCommand = { purpose: "retire", command: line("revoke", "--previous") };
  return {
    ...merchant,
    commands: [
      { purpose: "rotate", command: line("rotate", files) },
      ...(back.length > 0 ? [...back, retire] : []),
      { purpose: "leaked", command: line("revoke", `--current ${files}`) },
    ],
  };
}
