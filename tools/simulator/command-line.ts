import { parseArgs } from "node:util";
import { controlGuide } from "./control/control-guide.ts";
import { fastestSpeed } from "./service/clock.ts";

const defaultMerchantId = "test-merchant-0001";

export const help = `A payment service that behaves like the real one: it accepts signed and encrypted orders, shows a
checkout page and sends callbacks. It runs only on this machine.

  npm run simulator -- [options]

  --port N                  port on 127.0.0.1 (default 3001; 0 uses any free port)
  --callback-url URL        send all callbacks to this address instead of the orders' own
  --merchant ID             a merchant; its keys are created if the folder has none
                            (repeatable; default ${defaultMerchantId})
  --keys-folder PATH        the folder for these keys (default .paycast/simulator)
  --keys FILE               use a merchant's keys from a JSON file instead (repeatable): { merchantId, aesKey,
                            merchantPublicKey, servicePrivateKey, profile? }
  --profile FILE            the wire profile, as JSON, for keys that this start creates
  --orders-file FILE        store orders, refunds and callbacks in this file between starts
  --clock-speed N           simulated seconds per real second; 0 stops the clock (default 1, or
                            $PAYCAST_CLOCK_SPEED)
  --checkout-base-url URL   the address for browsers, if it differs from the simulator's own
  --retries WAY             identical (default): a retry repeats the first envelope; resealed: a retry
                            has a new timestamp and signature
  --repeated-order-no WAY   the response to a second create with the same order number: same (default:
                            the first payment if the content is the same), new or refuse
  --refunded-payments WAY   the response to a query for a payment with a refund: payment (default) has the
                            payment's own status, refund the refund's
  --quiet                   print no line per request and callback
  --help                    print this text

Examples

  npm run simulator -- --callback-url http://127.0.0.1:8080/callbacks
  npm run simulator -- --clock-speed 3600        # a retry schedule of seven days in three minutes
  curl -X POST http://127.0.0.1:3001/control/orders -d '{"amount":"9.90"}'
  curl -X POST http://127.0.0.1:3001/control/faults -d '{"kind":"send-twice"}'

${controlGuide}
`;

export type Command = ReturnType<typeof readCommand>;

/** Throws an error whose message says what to do. */
export function readCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const given = readFlags(args);
  return {
    help: given.help ?? false,
    quiet: given.quiet ?? false,
    port: number("--port", given.port ?? "3001", 65_535),
    clockSpeed: number(
      "--clock-speed",
      given["clock-speed"] ?? environment["PAYCAST_CLOCK_SPEED"] ?? "1",
      fastestSpeed,
    ),
    callbackUrl: address("--callback-url", given["callback-url"]),
    checkoutBaseUrl: address("--checkout-base-url", given["checkout-base-url"]),
    merchants: (given.merchant ?? [defaultMerchantId]).map(merchantId),
    keysFolder: given["keys-folder"] ?? ".paycast/simulator",
    keyFiles: given.keys ?? [],
    profileFile: given.profile,
    ordersFile: given["orders-file"],
    retries: oneOf("--retries", given.retries ?? "identical", ["identical", "resealed"]),
    repeatedOrderNo: oneOf("--repeated-order-no", given["repeated-order-no"] ?? "same", [
      "same",
      "new",
      "refuse",
    ]),
    refundedPayments: oneOf("--refunded-payments", given["refunded-payments"] ?? "payment", [
      "payment",
      "refund",
    ]),
  };
}

/** Throws an error that names the option. */
function readFlags(args: readonly string[]) {
  try {
    return parseFlags(args);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${reason.replace(/\.$/, "")}. For help: npm run simulator -- --help`;
    throw new Error(message, { cause });
  }
}

function parseFlags(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      port: { type: "string" },
      "callback-url": { type: "string" },
      merchant: { type: "string", multiple: true },
      "keys-folder": { type: "string" },
      keys: { type: "string", multiple: true },
      profile: { type: "string" },
      "orders-file": { type: "string" },
      "clock-speed": { type: "string" },
      "checkout-base-url": { type: "string" },
      retries: { type: "string" },
      "repeated-order-no": { type: "string" },
      "refunded-payments": { type: "string" },
      quiet: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  }).values;
}

function number(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= most) return value;
  throw new Error(`${flag} must be a number from 0 to ${most}.`);
}

/** The id becomes the name of a folder, so it is checked first. */
function merchantId(text: string): string {
  if (/^[A-Za-z0-9_-]{1,18}$/.test(text)) return text;
  throw new Error("--merchant must be 1 to 18 letters, digits, - or _.");
}

function address(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:/i.test(text))) return text;
  throw new Error(`${flag} must be an http or https address.`);
}

function oneOf<const T extends string>(flag: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new Error(`${flag} must be one of ${values.join(", ")}.`);
}
