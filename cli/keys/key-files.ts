import type { GivenKeys } from "../../operations/keys/compose-keys.ts";
import { readKeyFile } from "../detect/read-file.ts";
import { UsageError } from "../frame/command.ts";

/** The options that name files of keys. Keys are never arguments: the shell's history would hold them. */
export const fileOptions = {
  "callback-keys": { type: "string" },
  "request-keys": { type: "string" },
  "aes-key": { type: "string" },
  "service-public-key": { type: "string" },
  "merchant-private-key": { type: "string" },
  profile: { type: "string" },
} as const;

type FileValues = { readonly [Name in keyof typeof fileOptions]?: string | undefined };

const partNames = ["aes-key", "service-public-key", "merchant-private-key", "profile"] as const;
const wholeNames = ["callback-keys", "request-keys"] as const;

export function namesFiles(values: FileValues): boolean {
  return [...partNames, ...wholeNames].some((name) => values[name] !== undefined);
}

/** Reads the files. Throws `UsageError` or `InputError`; neither repeats what a file holds. */
export async function readKeyFiles(values: FileValues): Promise<GivenKeys> {
  const parts = partNames.filter((name) => values[name] !== undefined);
  const wholes = wholeNames.filter((name) => values[name] !== undefined);
  if (parts.length + wholes.length === 0) {
    throw new UsageError("Give the files of the keys, such as --callback-keys FILE.");
  }
  if (parts.length > 0 && wholes.length > 0) {
    throw new UsageError(`--${wholes[0]} holds everything: leave --${parts[0]} out.`);
  }
  const read = async (name: keyof FileValues) => {
    const path = values[name];
    return path === undefined ? undefined : await readKeyFile(path, `--${name}`);
  };
  return {
    callbackKeys: await read("callback-keys"),
    requestKeys: await read("request-keys"),
    aesKey: await read("aes-key"),
    servicePublicKey: await read("service-public-key"),
    merchantPrivateKey: await read("merchant-private-key"),
    profile: await read("profile"),
  };
}
