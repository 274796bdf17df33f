import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteStackCommand,
  ExecuteChangeSetCommand,
  type ResourceToImport,
} from "@aws-sdk/client-cloudformation";

const kept = { DeletionPolicy: "Retain" };
const key = { AttributeName: "key" };

/** Resources of small stacks, to try what CloudFormation's stand-in does without the CDK command. */
export const table = {
  ...kept,
  Type: "AWS::DynamoDB::Table",
  Properties: {
    KeySchema: [{ ...key, KeyType: "HASH" }],
    AttributeDefinitions: [{ ...key, AttributeType: "S" }],
  },
};
export const queue = { ...kept, Type: "AWS::SQS::Queue" };
export const policy = { ...kept, Type: "AWS::SQS::QueuePolicy" };
export const secret = { ...kept, Type: "AWS::SecretsManager::Secret" };
export const auditLog = { ...kept, Type: "AWS::Logs::LogGroup" };
export const bucket = { ...kept, Type: "AWS::S3::Bucket" };
export const role = { Type: "AWS::IAM::Role" };

export type Resources = Readonly<Record<string, object>>;

interface Change {
  readonly type?: "CREATE" | "UPDATE" | "IMPORT";
  readonly Parameters?: object;
  readonly Outputs?: object;
  readonly imported?: ResourceToImport[];
}

/** Makes or changes a stack, as the CDK command does. */
export async function deploy(
  client: CloudFormationClient,
  StackName: string,
  Resources: Resources,
  { type = "CREATE", imported, ...sections }: Change = {},
): Promise<void> {
  const named = { StackName, ChangeSetName: "change" };
  await client.send(
    new CreateChangeSetCommand({
      ...named,
      ChangeSetType: type,
      TemplateBody: JSON.stringify({ ...sections, Resources }),
      ResourcesToImport: imported,
    }),
  );
  await client.send(new ExecuteChangeSetCommand(named));
}

export async function destroy(client: CloudFormationClient, StackName: string): Promise<void> {
  await client.send(new DeleteStackCommand({ StackName }));
}
