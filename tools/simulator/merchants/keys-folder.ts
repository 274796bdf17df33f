import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { profileSchema, type WireProfileInput } from "../wire/profile.ts";
import { makeMerchant, type SimulatorMerchant, simulatorMerchantSchema } from "./merchant.ts";
import type { RotatedKeys } from "./rotate-keys.ts";

/** The files in a merchant's folder: the service's side, and the merchant's two secrets. */
const fileNames = {
  service: "simulator.json",
  callbackKeys: "callback-keys.json",
  requestKeys: "request-keys.json",
} as const;

/** Reads the merchants' keys from the folder, and creates missing ones. */
export async function loadOrMakeKeys(
  folder: string,
  merchantIds: readonly string[],
  profile: WireProfileInput | undefined,
): Promise<SimulatorMerchant[]> {
  for (const merchantId of merchantIds) {
    if (!existsSync(join(folder, merchantId))) {
      await makeKeys(folder, merchantId, profile);
    }
  }
  return await Promise.all(
    merchantIds.map((merchantId) => readKeysFile(join(folder, merchantId, fileNames.service))),
  );
}

/**
 * A merchant's folder appears only when it is complete. If two processes make the keys at the same time, both use those
 * of the first to finish.
 */
async function makeKeys(
  folder: string,
  merchantId: string,
  profile: WireProfileInput | undefined,
): Promise<void> {
  const keys = await makeMerchant(merchantId, profile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(folder, `.${merchantId}-`));
  const home = join(folder, merchantId);
  try {
    await writeKeys(draft, keys);
    await rename(draft, home);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

/** Throws an error that names the file and the field and contains no value. */
export async function readKeysFile(path: string): Promise<SimulatorMerchant> {
  const read = simulatorMerchantSchema.safeParse(await readJson(path));
  if (read.success) return read.data;
  throw new Error(`${path} does not contain a merchant's keys:\n${z.prettifyError(read.error)}`);
}

export async function readProfileFile(path: string): Promise<WireProfileInput> {
  const read = profileSchema.safeParse(await readJson(path));
  if (read.success) return read.data;
  throw new Error(`${path} does not contain a wire profile:\n${z.prettifyError(read.error)}`);
}

/** Saves rotated keys for the next start. The merchant keeps its private key if there is no new one. */
export async function keepRotatedKeys(folder: string, rotated: RotatedKeys): Promise<void> {
  const { merchantId, service, callbackKeys, requestKeys } = rotated;
  const before = await readJson(join(folder, merchantId, fileNames.requestKeys)).catch(() => ({}));
  const kept = z.object({ merchantPrivateKey: z.string().exactOptional() }).parse(before);
  const home = join(folder, merchantId);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeKeys(home, {
    service,
    callbackKeys,
    requestKeys: { ...kept, ...requestKeys },
  });
}

/** Writes to a temporary name, then renames: another process may be reading. */
async function writeKeys(
  home: string,
  keys: Readonly<Record<keyof typeof fileNames, object>>,
): Promise<void> {
  const write = async (name: string, value: object) => {
    const draft = join(home, `${name}.${randomUUID()}`);
    await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, join(home, name));
  };
  await write(fileNames.service, keys.service);
  await write(fileNames.callbackKeys, keys.callbackKeys);
  await write(fileNames.requestKeys, keys.requestKeys);
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Error(`${path} cannot be read.`, { cause: error });
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}
