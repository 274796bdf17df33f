import {
  type Capture,
  type CaptureKind,
  maximumCaptureBytes,
  readCapture,
} from "../detect/capture.ts";
import { guessFixedIvs, readIvs } from "../detect/fixed-ivs.ts";
import { readAesKeys, readPublicHalf, readPublicKey, type SearchKeys } from "../detect/keys.ts";
import { readBoundedFile, readKeyFile } from "../detect/read-file.ts";
import { makeReport } from "../detect/report.ts";
import { reportText } from "../detect/report-text.ts";
import { type OnProgress, searchProfiles } from "../detect/search-profiles.ts";
import { chosenStack } from "../frame/choose-stack.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { localTimeOption } from "../frame/local-times.ts";
import { parseOptions } from "../frame/parse-options.ts";

/** `npx paycast detect-profile`: finds the wire profile of a service from captured envelopes. */
export const detectProfile: Command = {
  help: helpText(),
  run,
};

const options = {
  callback: { type: "string" },
  request: { type: "string" },
  "aes-key": { type: "string" },
  "public-key": { type: "string" },
  "private-key": { type: "string" },
  iv: { type: "string" },
  captured: { type: "boolean" },
  merchant: { type: "string" },
  stack: { type: "string" },
  local: { type: "boolean" },
  json: { type: "boolean" },
  ...localTimeOption,
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>;

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const values = parseOptions(args, options);
  if (isAboutStack(values)) {
    // Loaded here, so that a search in a file does not wait for the AWS clients.
    const { detectCaptured } = await import("../detect/detect-captured.ts");
    return await detectCaptured(values, await capturedKeys(values), terminal);
  }
  const source = sourceOf(values);
  const keys = await readKeys(values, source.kind);
  const capture = await readSource(source);
  const startedAt = performance.now();
  const result = searchProfiles(capture, keys, progressTo(terminal));
  const seconds = (performance.now() - startedAt) / 1000;
  if (terminal.errIsTty) terminal.err(clearLine);
  const report = makeReport(result, capture, keys, seconds);
  terminal.out(values.json === true ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  return report.found ? exitCodes.success : exitCodes.negative;
}

/** PAYCAST_STACK means the stack's captured callbacks, unless a file is named. */
function isAboutStack(values: Values): boolean {
  const { captured, callback, request, stack, local } = values;
  const isNamed = captured === true || local === true || stack !== undefined;
  const isFile = callback !== undefined || request !== undefined;
  return isNamed || (!isFile && chosenStack(values) !== undefined);
}

/** The keys of the secret are used, unless the user gives others. */
async function capturedKeys(values: Values): Promise<SearchKeys | undefined> {
  if (values.callback !== undefined || values.request !== undefined) {
    throw new UsageError("Give a file, or --captured for what the stack refused and kept.");
  }
  const isGiven = [values["aes-key"], values["public-key"], values.iv].some(
    (path) => path !== undefined,
  );
  return isGiven ? await readKeys(values, "callback") : undefined;
}

interface Source {
  readonly kind: CaptureKind;
  readonly path: string;
}

function sourceOf({ callback, request }: Values): Source {
  if (callback !== undefined && request === undefined) return { kind: "callback", path: callback };
  if (request !== undefined && callback === undefined) return { kind: "request", path: request };
  throw new UsageError("Give one captured envelope: --callback FILE or --request FILE.");
}

async function readSource({ kind, path }: Source): Promise<Capture> {
  return readCapture(await readBoundedFile(path, `--${kind}`, maximumCaptureBytes), kind);
}

async function readKeys(values: Values, kind: CaptureKind): Promise<SearchKeys> {
  const aesPath = values["aes-key"];
  if (aesPath === undefined) throw new UsageError("Give the AES key with --aes-key FILE.");
  const readRsa = rsaReader(values, kind);
  const aesText = await readKeyFile(aesPath, "--aes-key");
  const aesKeys = readAesKeys(aesText);
  const publicKey = await readRsa();
  const given =
    values.iv === undefined ? [] : readIvs(await readBoundedFile(values.iv, "--iv", 1024));
  return {
    aesKeys,
    publicKey,
    rsaBits: publicKey.asymmetricKeyDetails?.modulusLength ?? 0,
    fixedIvs: [...guessFixedIvs(aesText, aesKeys), ...given],
  };
}

function rsaReader(values: Values, kind: CaptureKind) {
  const { "public-key": publicPath, "private-key": privatePath } = values;
  if (publicPath !== undefined && privatePath !== undefined) {
    throw new UsageError("Give --public-key or --private-key, not both.");
  }
  if (publicPath !== undefined) {
    return async () => readPublicKey(await readKeyFile(publicPath, "--public-key"));
  }
  if (kind === "callback") {
    throw new UsageError(
      "Give the service's public key with --public-key FILE: callbacks are verified with it.",
    );
  }
  if (privatePath === undefined) {
    throw new UsageError(
      "Give the merchant's key with --private-key FILE or --public-key FILE: requests are signed with it.",
    );
  }
  return async () => readPublicHalf(await readKeyFile(privatePath, "--private-key"));
}

const clearLine = "\r\u001b[K";

function progressTo(terminal: Terminal): OnProgress {
  if (!terminal.errIsTty) return () => {};
  return (compared, texts) =>
    terminal.err(`${clearLine}Comparing signed texts: ${compared} of ${texts}`);
}

function helpText(): string {
  return `Usage: npx paycast detect-profile (--callback FILE | --request FILE) --aes-key FILE
                                  (--public-key FILE | --private-key FILE) [--iv FILE] [--json]
       npx paycast detect-profile (--captured | --stack NAME | --local) [--merchant ID] [--json]

Finds the wire profile of your payment service from one captured envelope: cipher, IV, encodings, hash,
padding, and which text is signed. Tries every combination that a profile can express, and names one
only after Paycast's own code has opened the envelope with it. Nothing is sent anywhere.
It takes a second: the body is decrypted in every way and the signature opened once, which rules most
combinations out together. Of fixed IVs it tries the one of --iv and a few that are often used.

Options
  --callback FILE     a callback that the service sent
  --request FILE      a request that the service accepted
                      Either is the JSON envelope as it was sent: the HTTP body alone, the HTTP message
                      with its headers, or an API Gateway event.
  --aes-key FILE      the AES key, in base64, hex or plain text
  --public-key FILE   for a callback the service's public key, for a request the merchant's;
                      PEM or bare base64
  --private-key FILE  for a request, instead of --public-key: the merchant's private key
  --iv FILE           an IV to try as a fixed one, in hex, base64 or plain text
  --captured          try the callbacks that the stack refused and kept, the newest first, with the
                      keys of the merchant's secret (or those of --aes-key and --public-key); they stay
                      in their queue. The config's callbacks.captureUntil turns keeping on.
  --stack NAME        the same on a deployed stack, with your AWS credentials; so does PAYCAST_STACK if
                      no file is given
  --local             the same on the local stack, also while PAYCAST_STACK is set
  --merchant ID       of these only the callbacks for this merchant
  --json              print the result as JSON
  --local-time        show times in the zone of this machine; without it, and in JSON, they are in UTC
  -h, --help          print this

Keys are read from files and never taken as arguments: the shell's history and the list of processes
would show them. They are not printed either.

Examples
  npx paycast detect-profile --callback callback.json --aes-key aes.key --public-key service.pem
  npx paycast detect-profile --request request.json --aes-key aes.key --private-key merchant.pem
  npx paycast detect-profile --callback callback.json --aes-key aes.key --public-key service.pem \\
    --iv iv.txt --json
  npx paycast detect-profile --stack Paycast

Exit codes: 0 a profile fits, 1 none fits, 2 wrong usage or unreadable input, 3 a fault of paycast,
            4 AWS did not do what was asked
`;
}
