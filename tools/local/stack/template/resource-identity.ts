import { localPlace } from "../../aws/local-account.ts";

/** The ARN of a resource, from its id. Undefined for types whose ARN cannot be derived from it. */
export function arnOf(type: string, physicalId: string): string | undefined {
  const { partition, region, accountId } = localPlace;
  const arn = (service: string, resource: string) =>
    ["arn", partition, service, region, accountId, resource].join(":");
  switch (type) {
    case "AWS::SQS::Queue":
      return arn("sqs", queueName(physicalId));
    case "AWS::DynamoDB::Table":
      return arn("dynamodb", `table/${physicalId}`);
    case "AWS::Lambda::Function":
      return arn("lambda", `function:${physicalId}`);
    case "AWS::KMS::Key":
      return arn("kms", `key/${physicalId}`);
    case "AWS::IAM::Role":
      return `arn:${partition}:iam::${accountId}:role/${physicalId}`;
    default:
      return undefined;
  }
}

/** CloudFormation identifies a queue by its URL. */
export function queueName(url: string): string {
  return url.split("/").at(-1) ?? "";
}
