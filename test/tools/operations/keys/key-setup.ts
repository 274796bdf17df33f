import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
} from "@aws-sdk/client-secrets-manager";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import type { OperatedTarget } from "../use-operator.ts";

/** What the tests of keys do with the secrets of the local stack beside the command. */
export function keySetup(operated: OperatedTarget) {
  const client = () => operated.clients().secretsManager;
  const emptySecret = async () => {
    const Name = `test/${randomUUID()}`;
    return (await client().send(new CreateSecretCommand({ Name }))).ARN!;
  };
  const put = async (SecretId: string, SecretString: string, VersionStages?: string[]) =>
    (await client().send(new PutSecretValueCommand({ SecretId, SecretString, VersionStages })))
      .VersionId!;
  const labelsOf = async (SecretId: string): Promise<[label: string, versionId: string][]> => {
    const described = await client().send(new DescribeSecretCommand({ SecretId }));
    return Object.entries(described.VersionIdsToStages ?? {}).flatMap(([id, stages]) =>
      stages.map((stage): [string, string] => [stage, id]),
    );
  };
  /** A merchant whose secrets were never set. */
  const newMerchant = async (merchantId = `m-${randomUUID().slice(0, 8)}`) => {
    const merchant = {
      merchantId,
      callbackKeys: await emptySecret(),
      requestKeys: await emptySecret(),
    };
    const path = join(operated.directory, "local.json");
    const description = JSON.parse(readFileSync(path, "utf8"));
    description.merchants.push(merchant);
    writeFileSync(path, JSON.stringify(description));
    return merchant;
  };
  return {
    put,
    newMerchant,
    /** Runs `npx paycast keys` with these words. */
    keys: (...args: string[]) => operated.paycast("keys", ...args),
    /** A merchant with valid keys in both secrets. */
    setMerchant: async () => {
      const merchant = await newMerchant();
      const keys = makeMerchant();
      const callbackVersion = await put(merchant.callbackKeys, keys.callbackSecret());
      const requestVersion = await put(merchant.requestKeys, keys.requestSecret());
      return { ...merchant, keys, callbackVersion, requestVersion };
    },
    /** The target with the merchants that were added. */
    target: (): Promise<Target> => findTarget({ directory: operated.directory }),
    textOf: async (SecretId: string, VersionStage = "AWSCURRENT") =>
      (await client().send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString!,
    /** Stage of Secrets Manager to version id. */
    stagesOf: async (secretId: string): Promise<Record<string, string>> => {
      const labels = await labelsOf(secretId);
      return Object.fromEntries(labels.filter(([label]) => label.startsWith("AWS")));
    },
    /** The versions that are marked as revoked. */
    revokedOf: async (secretId: string): Promise<string[]> => {
      const labels = await labelsOf(secretId);
      const marks = labels.filter(([label]) => /^PAYCAST-REVOKED-\d{4}-\d\d-\d\dT/.test(label));
      return marks.map(([, versionId]) => versionId);
    },
    auditLines: operated.auditLines,
  };
}

/** A file with callback keys that nobody else has, as the README shows it. */
export function callbackFile(keys = makeMerchant()): string {
  return writtenFile(keys.callbackSecret());
}

export function requestFile(keys = makeMerchant()): string {
  return writtenFile(keys.requestSecret());
}
