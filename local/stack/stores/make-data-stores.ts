import * as z from "zod";
import type { AwsClients } from "../../aws/aws-clients.ts";
import { physicalName } from "../template/identify-resources.ts";
import type { DeclaredResource, StackContext } from "../template/stack-context.ts";
import { constructPath } from "../template/template.ts";
import { makeQueue, queueSchema } from "./make-queue.ts";
import { makeSecret, secretSchema } from "./make-secret.ts";
import { makeTable, tableSchema } from "./make-table.ts";

/** A resource can be found by its path in the CDK app or by its id in the template. */
interface Located {
  readonly path: string;
  readonly logicalId: string;
}
export interface MadeQueue extends Located {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly deadLettersArn: string | undefined;
}
export interface MadeTable extends Located {
  readonly name: string;
}
export interface MadeSecret extends Located {
  readonly name: string;
  readonly arn: string;
}

export async function makeSecrets(context: StackContext, aws: AwsClients): Promise<MadeSecret[]> {
  return await Promise.all(
    context.declared("AWS::SecretsManager::Secret").map(async (declared) => {
      const properties = context.properties(secretSchema, declared);
      const name = properties.Name ?? physicalName(context.stackName, declared.logicalId, 512);
      const arn = await makeSecret(aws.secretsmanager, name, properties);
      context.setSecretArn(declared.logicalId, arn);
      return { ...locate(declared), name, arn };
    }),
  );
}

export async function makeQueues(context: StackContext, aws: AwsClients): Promise<MadeQueue[]> {
  return await Promise.all(
    context.declared("AWS::SQS::Queue").map(async (declared) => {
      const properties = context.properties(queueSchema, declared);
      const name = attributeOf(declared, "QueueName");
      await makeQueue(aws.sqs, name, properties);
      return {
        ...locate(declared),
        name,
        url: declared.identity.ref,
        arn: attributeOf(declared, "Arn"),
        deadLettersArn: properties.RedrivePolicy?.deadLetterTargetArn,
      };
    }),
  );
}

export async function makeTables(
  context: StackContext,
  aws: AwsClients,
  keepData: boolean,
): Promise<MadeTable[]> {
  return await Promise.all(
    context.declared("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable").map(async (declared) => {
      const name = declared.identity.ref;
      const properties = context.properties(tableSchema, declared);
      await makeTable(aws.dynamodb, name, properties, keepData);
      return { ...locate(declared), name };
    }),
  );
}

export function attributeOf(declared: DeclaredResource, name: string): string {
  return z.string().parse(declared.identity.attribute(name));
}

function locate({ logicalId, resource }: DeclaredResource): Located {
  return { logicalId, path: constructPath(resource) ?? logicalId };
}
