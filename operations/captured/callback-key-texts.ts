import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { secretCalls } from "../keys/secret-calls.ts";
import { findMerchant } from "../keys/stored-keys.ts";
import type { Target } from "../target/target.ts";

const keyTexts = z.object({
  aesKey: z.string(),
  servicePublicKey: z.string(),
  profile: z.optional(z.unknown()),
});

export type CallbackKeyTexts = z.output<typeof keyTexts>;

/**
 * The callback keys as they are in the secret. They are not parsed, because the profile beside them may be the wrong
 * one. Throws `keys-unset` or `keys-invalid`.
 */
export async function readCallbackKeyTexts(
  target: Target,
  merchantId: string,
): Promise<CallbackKeyTexts> {
  const { callbackKeys } = findMerchant(target, merchantId);
  const calls = secretCalls(target.clients.secretsManager);
  const { current } = await calls.stagesOf(callbackKeys);
  const version = current === undefined ? undefined : await calls.read(callbackKeys, current);
  if (version === undefined) {
    throw new PaycastError("keys-unset", `The callback keys are not set. ${giveFiles}`);
  }
  const read = keyTexts.safeParse(parseJson(version.text));
  if (read.success) return read.data;
  throw new PaycastError("keys-invalid", `The callback keys are not valid. ${giveFiles}`);
}

const giveFiles = "Give the keys as files: --aes-key FILE and --public-key FILE.";
