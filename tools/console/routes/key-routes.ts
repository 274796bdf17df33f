import * as z from "zod";
import { shellWord } from "../../../shared/shell-word.ts";
import {
  checkKeys,
  type KeysReport,
  type MerchantReport,
  type VersionReport,
} from "../../operations/keys/check-keys.ts";
import type { SecretKind } from "../../operations/keys/inspect-keys.ts";
import { restore } from "../../operations/keys/restore-keys.ts";
import { stackOption, type Target } from "../../operations/target/target.ts";
import type { ConsoleContext } from "../console-context.ts";
import { describedRoutes } from "../server/described-routes.ts";
import { createLookCache, createTurns } from "../server/look-cache.ts";
import { type ApiRoute, question, view } from "../server/route.ts";

export interface MerchantKeysView extends MerchantReport {
  /** Keys come from files that only the operator has, so changing them is the command's work. */
  readonly commands: readonly { readonly purpose: string; readonly command: string }[];
  /** Keys that can go back to their previous version. That needs no files. */
  readonly restorable: readonly SecretKind[];
}

export interface KeysView extends Omit<KeysReport, "merchants"> {
  readonly lookedAt: string;
  readonly merchants: readonly MerchantKeysView[];
}

/** A look reads up to 50,000 records. On AWS they cost money. */
const freshMilliseconds = { local: 5_000, deployed: 5 * 60_000 };

export function keyRoutes(context: ConsoleContext): ApiRoute[] {
  const { target: find, lab } = context;
  const looks = createLookCache({
    look: async () => {
      const target = await find();
      const report = await checkKeys(target);
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
    ...describedRoutes(context, { name: "keys", operations: [restore] }),
  ];
}

export function withCommands(
  target: Pick<Target, "kind" | "name">,
  merchant: MerchantReport,
): MerchantKeysView {
  const line = (verb: string, ...options: string[]) =>
    [`npx paycast keys ${verb} ${shellWord(merchant.merchantId)}`, ...options].join(" ") +
    stackOption(target);
  const files = "--callback-keys callback-keys.json --request-keys request-keys.json";
  const { secrets } = merchant;
  const isSet = secrets.every(
    ({ versions, unread }) =>
      unread !== undefined || versions.some(({ stage }) => stage === "current"),
  );
  if (!isSet) {
    const commands = [{ purpose: "To set the keys", command: line("set", files) }];
    return { ...merchant, commands, restorable: [] };
  }
  const restorable = secrets.flatMap(({ kind, versions }) =>
    versions.some(isRestorable) ? [kind] : [],
  );
  const hasPrevious = secrets.some(({ versions }) =>
    versions.some(({ stage }) => stage === "previous"),
  );
  const commands = [
    {
      purpose: "To rotate to new keys, before the service changes",
      command: line("rotate", files),
    },
    ...restorable.map((kind) => ({
      purpose: "To go back to the previous keys, if the current ones are wrong",
      command: line("restore", `--only ${kind}`),
    })),
    ...(hasPrevious
      ? [{ purpose: "To take the previous keys out", command: line("revoke", "--previous") }]
      : []),
    {
      purpose: "If the current keys leaked, with new ones",
      command: line("revoke", `--current ${files}`),
    },
  ];
  return { ...merchant, commands, restorable };
}

/** The same that `keys restore` accepts: previous keys that are valid, and whose time is not over. */
function isRestorable({ stage, keys, retirement }: VersionReport): boolean {
  return stage === "previous" && keys !== undefined && retirement !== "over";
}
