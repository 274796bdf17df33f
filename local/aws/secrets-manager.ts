import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { dirname } from "node:path";
import { text as readText } from "node:stream/consumers";
import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import type { Emulator } from "./emulator.ts";
import { listenOnLoopback } from "./listen-on-loopback.ts";
import { refuseForeign } from "./own-host.ts";
import { runOperation } from "./secret-operations.ts";
import {
  type Secret,
  type SecretStore,
  SecretsManagerError,
  secretSchema,
} from "./secret-versions.ts";

export interface SecretsManagerOptions {
  /** Any free port, if it is left out. */
  readonly port?: number;
  /** The file for the secrets. Without it they are in memory only. */
  readonly dataFile?: string;
}

/** An endpoint with the protocol of Secrets Manager: JSON 1.1, and a header that names the operation. */
export async function startSecretsManager(options: SecretsManagerOptions = {}): Promise<Emulator> {
  const store = openStore(options.dataFile);
  const serve: RequestListener = (request, response) => {
    readText(request)
      .then((text) => {
        const { status, body } = answer(store, request.headers["x-amz-target"], text);
        response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
        response.end(JSON.stringify(body));
      })
      // The caller went away while it sent.
      .catch(() => response.destroy());
  };
  return await listenOnLoopback(createServer(refuseForeign(serve)), options.port);
}

function answer(store: SecretStore, target: unknown, text: string) {
  try {
    const name = String(target).replace(/^secretsmanager\./, "");
    return { status: 200, body: runOperation(store, name, readRequest(text)) };
  } catch (error) {
    if (!(error instanceof SecretsManagerError)) {
      return { status: 500, body: { __type: "InternalServiceError", message: String(error) } };
    }
    return { status: 400, body: { __type: error.code, message: error.message } };
  }
}

function readRequest(text: string): unknown {
  const json = parseJson(text);
  if (json !== undefined) return json;
  throw new SecretsManagerError("SerializationException", "The request is not JSON.");
}

function openStore(dataFile: string | undefined): SecretStore {
  const secrets = dataFile === undefined ? [] : load(dataFile);
  return {
    secrets,
    nowSeconds: () => Date.now() / 1_000,
    changed: () => {
      if (dataFile !== undefined) save(dataFile, secrets);
    },
  };
}

function load(dataFile: string): Secret[] {
  if (!existsSync(dataFile)) return [];
  return z.array(secretSchema).parse(JSON.parse(readFileSync(dataFile, "utf8")));
}

/** Written under another name, then renamed, so that it is never half written. Only the owner may read the keys. */
function save(dataFile: string, secrets: readonly Secret[]): void {
  mkdirSync(dirname(dataFile), { recursive: true });
  writeFileSync(`${dataFile}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  renameSync(`${dataFile}.new`, dataFile);
}
