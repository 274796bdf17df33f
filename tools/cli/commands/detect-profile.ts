import type { KeyObject } from "node:crypto";
import * as z from "zod";
import { optionPart } from "../../operations/described/command-line.ts";
import { flag, text } from "../../operations/described/fields.ts";
import { type CaptureKind, maximumCaptureBytes, readCapture } from "../detect/capture.ts";
import { makeSearchKeys, readIvs, readPublicHalf, readPublicKey } from "../detect/keys.ts";
import { detect, detectedText, type Trial } from "../detect/result-rows.ts";
import { chosenStack, print, UsageError } from "../frame/command.ts";
import { exitCodes } from "../frame/exit-codes.ts";
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
    "the service's public key for a callback, the merchant's for a request; PEM or bare base64",
  ),
  privateKey: path("for a request, instead of --public-key: the merchant's private key"),
  iv: path("a fixed IV to try besides common ones, in hex, base64 or plain text"),
  captured: flag(
    "try the callbacks that the stack rejected and kept, newest first; --stack, --local and, without a file, PAYCAST_STACK imply it",
  ),
  merchant: text("with --captured: only callbacks for this merchant", "ID"),
});

type Asked = z.output<typeof input>;

/** `npx paycast detect-profile`: finds the wire profile of a service from captured envelopes. */
export const detectProfile = ownCommand(
  {
    name: "detect-profile",
    about: [
      "Finds the wire profile of your payment service from one captured envelope: cipher, IV, encodings, hash, padding and signed text. It tries every combination that a profile can express, and prints one only after Paycast's own code has opened the envelope with it. Nothing is sent anywhere.",
    ],
    examples: [
      "detect-profile --callback callback.json --aes-key aes.key --public-key service.pem",
      "detect-profile --request request.json --aes-key aes.key --private-key merchant.pem",
      "detect-profile --stack Paycast",
    ],
  },
  {
    summary:
      "Give a file and its keys, or --captured to try callbacks that a stack rejected and kept. Keys are read from files, never from arguments, and are not printed.",
    input,
    requires: "(--callback FILE | --request FILE | --captured)",
    run: async (asked, frame, terminal) => {
      if (isAboutStack(asked, frame)) {
        // Loaded here, so that a search in a file does not wait for the AWS clients.
        const { detectCaptured } = await import("../detect/detect-captured.ts");
        const { merchant } = asked;
        return await detectCaptured({ ...frame, merchant }, await givenTrial(asked), terminal);
      }
      const { kind, path } = sourceOf(asked);
      const trial = await readTrial(asked, kind);
      const file = await readBoundedFile(path, `--${kind}`, maximumCaptureBytes);
      const capture = readCapture(file, kind);
      const progress = createProgress(terminal);
      const detected = detect(capture, trial, (compared, texts) =>
        progress.tell(`Comparing signed texts: ${compared} of ${texts}`),
      );
      progress.end();
      print(terminal, frame, detected, () => detectedText(detected));
      return detected.found ? exitCodes.success : exitCodes.negative;
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
async function givenTrial(asked: Asked): Promise<Trial | undefined> {
  if (asked.callback !== undefined || asked.request !== undefined) {
    throw new UsageError(
      "Give a file, or --captured for callbacks that the stack rejected and kept.",
    );
  }
  const isGiven = [asked.aesKey, asked.publicKey, asked.iv].some((path) => path !== undefined);
  return isGiven ? await readTrial(asked, "callback") : undefined;
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

async function readTrial(asked: Asked, kind: CaptureKind): Promise<Trial> {
  const { aesKey, iv } = asked;
  if (aesKey === undefined) throw new UsageError("Give the AES key with --aes-key FILE.");
  const rsaKey = await readRsaKey(asked, kind);
  const ivs = iv === undefined ? [] : readIvs(await readBoundedFile(iv, "--iv", 1024));
  const keys = makeSearchKeys(await readKeyFile(aesKey, "--aes-key"), rsaKey, ivs);
  return { keys, options: keyOptions(asked, kind), aesKeyFile: aesKey };
}

/** For `keys set`: the same files. */
function keyOptions({ aesKey, publicKey, privateKey }: Asked, kind: CaptureKind): string {
  const files = {
    "aes-key": aesKey,
    "service-public-key": kind === "callback" ? publicKey : undefined,
    "merchant-private-key": privateKey,
  };
  return Object.entries(files)
    .flatMap(([option, path]) => (path === undefined ? [] : [optionPart(option, path)]))
    .join(" ");
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
