import { existsSync, readFileSync } from "node:fs";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { writeOwnFile } from "../write-own-file.ts";
import { type AwsAnswer, AwsError, errorAnswer } from "./aws-error.ts";
import { answerCalls, type Listening } from "./listen-on-loopback.ts";
import { runOperation } from "./secret-operations.ts";
import { type Secret, type SecretStore, secretSchema } from "./secret-versions.ts";

export interface SecretsManagerOptions {
  /** Any free port, if it is left out. */
  readonly port?: number | undefined;
  /** The file for the secrets. Without it they are in memory only. */
  readonly dataFile?: string | undefined;
}

/** An endpoint with the protocol of Secrets Manager: JSON 1.1, and a header that names the operation. */
export async function startSecretsManager(options: SecretsManagerOptions = {}): Promise<Listening> {
  const store = openStore(options.dataFile);
  return await answerCalls(
    async (request) => answer(store, request.headers["x-amz-target"], await readText(request)),
    options.port,
  );
}

function answer(store: SecretStore, target: unknown, body: string): AwsAnswer {
  try {
    const name = String(target).replace(/^secretsmanager\./, "");
    const input = parseJson(body);
    if (input === undefined) throw new AwsError("SerializationException", "It is not JSON.");
    const text = JSON.stringify(runOperation(store, name, input));
    return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, text };
  } catch (error) {
    return errorAnswer("secretsmanager", error);
  }
}

function openStore(dataFile: string | undefined): SecretStore {
  const secrets = dataFile === undefined ? [] : load(dataFile);
  return {
    secrets,
    nowSeconds: () => Date.now() / 1_000,
    changed: () => {
      if (dataFile !== undefined) writeOwnFile(dataFile, JSON.stringify(secrets, null, 2));
    },
  };
}

function load(dataFile: string): Secret[] {
  if (!existsSync(dataFile)) return [];
  return z.array(secretSchema).parse(JSON.parse(readFileSync(dataFile, "utf8")));
}
