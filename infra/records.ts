import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";

/** The callback records with the deliveries still pending, and the orders' snapshots. */
export class Records extends Construct {
  readonly callbacks: Table;
  readonly orders: Table;
  readonly pendingIndexArn: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.callbacks = new Table(this, "Callbacks", {
      ...keptAndRestorable,
      partitionKey: { name: "callbackKey", type: AttributeType.STRING },
      sortKey: { name: "receipt", type: AttributeType.STRING },
      timeToLiveAttribute: "expiresAt",
    });
    // Sparse: only records with something left to deliver carry `deferred`, so a run costs what is pending.
    // Sorted by receipt: the oldest come first, and the first one of all tells how far behind a subscriber is.
    this.callbacks.addGlobalSecondaryIndex({
      indexName: "pending",
      partitionKey: { name: "deferred", type: AttributeType.STRING },
      sortKey: { name: "receivedAt", type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ["orderKey", "held", "nextAttemptAt"],
    });
    this.pendingIndexArn = `${this.callbacks.tableArn}/index/pending`;
    this.orders = new Table(this, "Orders", {
      ...keptAndRestorable,
      partitionKey: { name: "orderKey", type: AttributeType.STRING },
    });
  }
}

const keptAndRestorable = {
  billingMode: BillingMode.PAY_PER_REQUEST,
  // The records hold payments in plain text: the account's own managed key leaves each use of it in
  // CloudTrail, and DynamoDB asks KMS only once in minutes, so it costs next to nothing.
  encryption: TableEncryption.AWS_MANAGED,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies Partial<TableProps>;
