import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, inject } from "vitest";
import { type Config, parseConfig } from "../../../infra/config/config-schema.ts";
import { createLog } from "../../../shared/telemetry/log-line.ts";
import { createAwsClients } from "../../../tools/local/aws/aws-clients.ts";
import { describeStack, writeDescription } from "../../../tools/local/describe-stack.ts";
import { readPermissions } from "../../../tools/local/permissions/read-permissions.ts";
import { readFunction } from "../../../tools/local/stack/functions/read-function.ts";
import { makeQueues, makeTables } from "../../../tools/local/stack/stores/make-data-stores.ts";
import { makeSecrets } from "../../../tools/local/stack/stores/make-secrets.ts";
import { createStackContext } from "../../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../../tools/local/stack/template/template.ts";
import { synthesizeTemplate } from "../../../tools/local/synthesize-template.ts";
import {
  alarmsFile,
  functionLogFile,
  type LocalDescription,
} from "../../../tools/operations/local-stack/local-description.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { faultsOfStored } from "../../end-to-end/stored-events.ts";
import { randomName } from "../../integration/aws-stores.ts";
import { expectCleanLog } from "../../redaction/clean-log.ts";
import { keptStackOf } from "../../setup/kept-stack.ts";
import { processInbox } from "./process-inbox.ts";
import { sampleConfig } from "./sample-config.ts";
import type { TestStackParts } from "./test-target.ts";
import { type OperatedTarget, useOperator } from "./use-operator.ts";

/**
 * The stack of an operator without the parts that take time: the tables, queues and secrets of the template on the
 * emulators of the run, and process-callback in this process. Nothing serves its API, and nobody runs its other functions.
 */
export function useTarget(config: object = {}): OperatedTarget {
  const directory = mkdtempSync(join(tmpdir(), "paycast-target-"));
  let parts: TestStackParts;
  let processing: ReturnType<typeof processInbox>;
  const logFile = functionLogFile(directory);
  const write = (line: string) => appendFileSync(logFile, `${line}\n`);
  beforeAll(async () => {
    parts = await makeStack(parseConfig({ ...sampleConfig, ...config }), keptStackOf(config));
    writeDescription(directory, parts.description);
    writeFileSync(alarmsFile(directory), "[]");
    const now = Date.now;
    const log = createLog({ service: "process-callback", namespace: "Paycast", now, write });
    processing = processInbox(parts.description, log);
  });
  afterAll(async () => {
    await processing.stop();
    const faults = await faultsOfStored(parts.description);
    expectCleanLog(directory);
    rmSync(directory, { recursive: true, force: true });
    if (faults.length > 0) throw new Error(faults.join("\n"));
  });
  return { ...useOperator(directory), parts: () => parts };
}

/** Nothing listens there. */
const nowhere = "http://127.0.0.1:9";

async function makeStack(config: Config, kept: string): Promise<TestStackParts> {
  const emulators = inject("emulators");
  const template = await synthesizeTemplate(
    { ...config, secrets: {}, encryptionKeyArn: undefined },
    kept,
  );
  const context = createStackContext({
    template: readTemplate(template),
    stackName: randomName("target"),
    sqsEndpoint: emulators.sqs,
    apiEndpoint: nowhere,
  });
  const aws = createAwsClients(emulators);
  try {
    // Secrets Manager chooses their ARNs, and the others refer to them.
    const secrets = await makeSecrets(context, aws);
    const [queues] = await Promise.all([makeQueues(context, aws), makeTables(context, aws, false)]);
    const functions = context.declared("AWS::Lambda::Function").map((declared) => {
      const { label, name, environment } = readFunction(context, declared);
      return { definition: { label, name, environment: withoutService(environment, config) } };
    });
    const stack = { api: nowhere, secrets, queues, functions };
    const merchantIds = config.merchants;
    const addresses = { gateway: nowhere, console: nowhere, shop: nowhere, merchantIds };
    const startedAt = new Date().toISOString();
    const description = { ...describeStack(stack, emulators, addresses), startedAt };
    await storeKeys(aws.secretsmanager, description);
    return { description, principals: readPermissions(context).principals };
  } finally {
    aws.destroy();
  }
}

/** No test may call the address of the config. */
function withoutService(environment: Readonly<Record<string, string>>, { gateway }: Config) {
  const origin = gateway?.baseUrl ?? nowhere;
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replaceAll(origin, nowhere)]),
  );
}

async function storeKeys(
  client: SecretsManagerClient,
  { merchants }: LocalDescription,
): Promise<void> {
  for (const { merchantId, callbackKeys, requestKeys } of merchants) {
    const keys = makeMerchant({ merchantId });
    const put = (SecretId: string, SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString }));
    await put(callbackKeys, keys.callbackSecret());
    await put(requestKeys, keys.requestSecret());
  }
}
