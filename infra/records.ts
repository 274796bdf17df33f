import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";

/** The table of callback records with their pending deliveries, and the table of orders and payments. */
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
  // The records hold payments in plain text. With the account's AWS managed key each use is logged in
  // CloudTrail, and DynamoDB calls KMS only every few minutes, so the cost is very small.
  encryption: TableEncryption.AWS_MANAGED,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
  // Also if the first deployment fails: a rollback cannot delete a protected table and would
  // fail too.
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies Partial<TableProps>;
