import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  keepRotatedKeys,
  loadOrMakeKeys,
} from "../../../../tools/simulator/merchants/keys-folder.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

const merchantId = "shop-1";
const files = ["callback-keys.json", "request-keys.json", "simulator.json"];

test("those who make a merchant's keys at the same time get the same keys", async () => {
  const folder = temporaryFolder("keys");
  const load = () => loadOrMakeKeys(folder, [merchantId], undefined);
  const [first, ...others] = await Promise.all([load(), load(), load()]);
  for (const other of others) expect(other).toEqual(first);
  expect(readdirSync(folder)).toEqual([merchantId]);
  const home = join(folder, merchantId);
  expect(readdirSync(home)).toEqual(files);
  const [aesKey] = first!.map((keys) => keys.aesKey);
  for (const file of files) {
    expect(JSON.parse(readFileSync(join(home, file), "utf8"))).toMatchObject({ aesKey });
  }
});

test("a rotation leaves the earlier file whole for whoever is reading it", async () => {
  const folder = temporaryFolder("keys");
  const load = async () => (await loadOrMakeKeys(folder, [merchantId], undefined))[0]!;
  const before = await load();
  const reader = openSync(join(folder, merchantId, "simulator.json"), "r");
  const service = { ...before, aesKey: "the next one" };
  const theirs = { aesKey: service.aesKey, servicePublicKey: "", profile: {} };
  await keepRotatedKeys(folder, { merchantId, service, callbackKeys: theirs, requestKeys: theirs });
  expect(JSON.parse(readFileSync(reader, "utf8"))).toEqual(before);
  closeSync(reader);
  expect(await load()).toEqual(service);
  expect(readdirSync(join(folder, merchantId))).toEqual(files);
});
