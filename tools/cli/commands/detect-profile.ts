import type { KeyObject } from "node:crypto";
import * as z from "zod";
import { flag, text } from "../../operations/described/fields.ts";
import { type CaptureKind, maximumCaptureBytes, readCapture } from "../detect/capture.ts";
import {
  makeSearchKeys,
  readIvs,
  readPublicHalf,
  readPublicKey,
  type SearchKeys,
} from "../detect/keys.ts";
import { detect, reportText } from "../detect/report.ts";
import { chosenStack, exitCodes, print, UsageError } from "../frame/command.ts";
import { type Frame, ownCommand } from "../frame/read-arguments.ts";
import { readBoundedFile, readKeyFile } from "../frame/read-file.ts";
import { createProgress } from "../frame/terminal.ts";

function path(description: string) {
  return z.string().optional().meta({ description, placeholder: "FILE" });
}

const input = z.object({
  callback: path(
    "a callback that the service sent: its HTTP body, the HTTP message, or an API Gateway event",
  ),
  request: path("a request that the service accepted, in the same forms"),
  aesKey: path("the AES key, in base64, hex or plain text"),
  publicKey: path(
    "for a callback the service's public key, for a request the merchant's; PEM or bare base64",
  ),
  privateKey: path("for a request, instead of --public-key: the merchant's private key"),
  iv: path("an IV to try as a fixed one, in hex, base64 or plain text"),
  captured: flag(
    "try the callbacks that the stack refused and kept, the newest first; so do --stack and --local, and PAYCAST_STACK if no file is given",
  ),
  merchant: text("of these only the callbacks for this merchant", "ID"),
});

type Asked = z.output<typeof input>;

/** `npx paycast detect-profile`: finds the wire profile of a service from captured envelopes. */
export const detectProfile = ownCommand(
  {
    name: "detect-profile",
    about: [
      "Finds the wire profile of your payment service from one captured envelope: cipher, IV, encodings, hash, padding, and which text is signed (pairs or JSON, sorted or in the order sent, or the body alone). It tries every combination that a profile can express, and names one only after Paycast's own code has opened the envelope with it. Nothing is sent anywhere.",
    ],
    examples: [
      "detect-profile --callback callback.json --aes-key aes.key --public-key service.pem",
      "detect-profile --request request.json --aes-key aes.key --private-key merchant.pem",
      "detect-profile --stack Paycast",
    ],
  },
  {
    summary:
      "Give a file and its keys, or let it try what a stack has captured. Of fixed IVs it tries the one of --iv and a few that are often used. Keys are read from files and never taken as arguments, because the shell's history and the list of processes would show them. They are not printed either.",
    promises: [
      "With a stack it tries the callbacks that the stack refused and kept while `callbacks.captureUntil` of the config allows it, with the keys of the merchant's callback secret, or with those of `--aes-key` and `--public-key`. Of each merchant and reason it tries up to 60, of each sender the newest five, and senders take turns: forgeries from one address cannot hide the real callback. It looks at up to 2,000 messages and gives them all back, so it can be run again. Anybody can send what is refused: a profile is named only if the service's own signature fits.",
      "On the local stack: `--captured`, or `--local` while `PAYCAST_STACK` is set. With a file (`--callback`, `--request`) no stack is asked. The exit code is 0 if a profile fits, and 1 if none does. To store the profile: `keys set MERCHANT --profile FILE --correct`.",
    ],
    input,
    requires: "(--callback FILE | --request FILE | --captured)",
    run: async (asked, frame, terminal) => {
      if (isAboutStack(asked, frame)) {
        // Loaded here, so that a search in a file does not wait for the AWS clients.
        const { detectCaptured } = await import("../detect/detect-captured.ts");
        const { merchant } = asked;
        return await detectCaptured({ ...frame, merchant }, await capturedKeys(asked), terminal);
      }
      const { kind, path } = sourceOf(asked);
      const keys = await readKeys(asked, kind);
      const file = await readBoundedFile(path, `--${kind}`, maximumCaptureBytes);
      const capture = readCapture(file, kind);
      const progress = createProgress(terminal);
      const report = detect(capture, keys, (compared, texts) =>
        progress.tell(`Comparing signed texts: ${compared} of ${texts}`),
      );
      progress.end();
      print(terminal, frame, report, () => reportText(report));
      return report.found ? exitCodes.success : exitCodes.negative;
    },
  },
);

/** PAYCAST_STACK means the stack's captured callbacks, unless a file is named. */
function isAboutStack({ captured, callback, request }: Asked, frame: Frame): boolean {
  const { stack, local } = frame;
  const isNamed = captured || local === true || stack !== undefined;
  const isFile = callback !== undefined || request !== undefined;
  return isNamed || (!isFile && chosenStack(frame) !== undefined);
}

/** The keys of the secret are used, unless the user gives others. */
async function capturedKeys(asked: Asked): Promise<SearchKeys | undefined> {
  if (asked.callback !== undefined || asked.request !== undefined) {
    throw new UsageError("Give a file, or --captured for what the stack refused and kept.");
  }
  const isGiven = [asked.aesKey, asked.publicKey, asked.iv].some((path) => path !== undefined);
  return isGiven ? await readKeys(asked, "callback") : undefined;
}

function sourceOf({ callback, request }: Asked) {
  if (callback !== undefined && request === undefined) {
    return { kind: "callback", path: callback } as const;
  }
  if (request !== undefined && callback === undefined) {
    return { kind: "request", path: request } as const;
  }
  throw new UsageError("Give one captured envelope: --callback FILE or --request FILE.");
}

async function readKeys(asked: Asked, kind: CaptureKind): Promise<SearchKeys> {
  const { aesKey, iv } = asked;
  if (aesKey === undefined) throw new UsageError("Give the AES key with --aes-key FILE.");
  const rsaKey = await readRsaKey(asked, kind);
  const ivs = iv === undefined ? [] : readIvs(await readBoundedFile(iv, "--iv", 1024));
  return makeSearchKeys(await readKeyFile(aesKey, "--aes-key"), rsaKey, ivs);
}

async function readRsaKey({ publicKey, privateKey }: Asked, kind: CaptureKind): Promise<KeyObject> {
  if (publicKey !== undefined && privateKey !== undefined) {
    throw new UsageError("Give --public-key or --private-key, not both.");
  }
  if (publicKey !== undefined) return readPublicKey(await readKeyFile(publicKey, "--public-key"));
  if (kind === "callback") {
    throw new UsageError(
      "Give the service's public key with --public-key FILE: callbacks are verified with it.",
    );
  }
  if (privateKey === undefined) {
    throw new UsageError(
      "Give the merchant's key with --private-key FILE or --public-key FILE: requests are signed with it.",
    );
  }
  return readPublicHalf(await readKeyFile(privateKey, "--private-key"));
}
