import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { byAttentionIndex, listedAttributes } from "../../shared/attention/attention.ts";
import { noticePrefix } from "../../shared/attention/notice.ts";
import { byDayIndex } from "../../shared/orders/day.ts";
import { byDueIndex, byEarlyIndex } from "../../shared/orders/due.ts";
import { byAggregateIndex, byTimeIndex } from "../../shared/records/time-bucket.ts";

/**
 * The table of callback records with their pending deliveries, and the table of orders and payments. No index projects
 * a plaintext, an event or a pending set: an index costs a write for each change of a projected attribute, and these
 * change most.
 */
export class Records extends Construct {
  readonly callbacks: Table;
  readonly orders: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.callbacks = new Table(this, "Callbacks", {
      ...keptAndRestorable,
      partitionKey: { name: "callbackKey", type: AttributeType.STRING },
      sortKey: { name: "receipt", type: AttributeType.STRING },
      timeToLiveAttribute: "expiresAt",
    });
    this.callbacks.addGlobalSecondaryIndex({
      indexName: byAggregateIndex,
      partitionKey: { name: "group", type: AttributeType.STRING },
      sortKey: { name: "recordedAt", type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.callbacks.addGlobalSecondaryIndex({
      indexName: byTimeIndex,
      partitionKey: { name: "timeBucket", type: AttributeType.STRING },
      sortKey: { name: "recordedAt", type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ["group", "sequence", "type", "merchantId", "keyVersion"],
    });
    // Sparse: contains only records that need attention, or may soon.
    this.callbacks.addGlobalSecondaryIndex({
      indexName: byAttentionIndex,
      partitionKey: { name: "attentionShard", type: AttributeType.STRING },
      sortKey: { name: "attentionSince", type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...listedAttributes],
    });
    this.orders = new Table(this, "Orders", {
      ...keptAndRestorable,
      partitionKey: { name: "aggregateKey", type: AttributeType.STRING },
    });
    this.orders.addGlobalSecondaryIndex({
      indexName: byDayIndex,
      partitionKey: { name: "dayShard", type: AttributeType.STRING },
      sortKey: { name: "dayPlace", type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    // Sparse: contains only orders with a next check. A settled order leaves it.
    this.orders.addGlobalSecondaryIndex({
      indexName: byDueIndex,
      partitionKey: { name: "dueShard", type: AttributeType.STRING },
      sortKey: { name: "dueAtMilliseconds", type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    // Sparse: contains only open orders that may be paid for longer than the usual half an hour.
    this.orders.addGlobalSecondaryIndex({
      indexName: byEarlyIndex,
      partitionKey: { name: "dueShard", type: AttributeType.STRING },
      sortKey: { name: "earlyAtMilliseconds", type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  /** For functions that write no receipts: they may put notices into the callbacks table and nothing else. */
  allowNotices(): PolicyStatement {
    return new PolicyStatement({
      actions: ["dynamodb:PutItem"],
      resources: [this.callbacks.tableArn],
      conditions: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${noticePrefix}*`] },
      },
    });
  }
}

const keptAndRestorable = {
  billingMode: BillingMode.PAY_PER_REQUEST,
  // The records contain payments in plain text. With the account's AWS managed key, CloudTrail logs each use. DynamoDB
  // calls KMS only every few minutes, so the cost is very small.
  encryption: TableEncryption.AWS_MANAGED,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
  // Retained even if the first deployment fails: a rollback cannot delete a protected table and would fail too.
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies Partial<TableProps>;
