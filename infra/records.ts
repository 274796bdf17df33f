import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";

/** The callback records with the deliveries still pending, and the snapshots of orders and payments. */
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
    this.orders = new Table(this, "Orders", {
      ...keptAndRestorable,
      partitionKey: { name: "aggregateKey", type: AttributeType.STRING },
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
  // Also when the first deployment fails: a rollback could not delete a table that is protected, and would
  // itself fail on it.
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies Partial<TableProps>;
