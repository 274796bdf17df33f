import { Stack, type StackProps, Tags } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Paycast } from "paycast";

/** Owned by the platform team: receives the callbacks and keeps one queue for each team. */
export class PaymentsStack extends Stack {
  readonly paycast: Paycast;

  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    this.paycast = new Paycast(this, "Paycast", {
      merchants: ["DemoMerchant"],
      subscribers: [
        { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"] },
        { name: "order-history", types: ["*"] },
        { name: "analytics", types: ["payment.order.*"], ordered: false },
      ],
      smoke: true,
      gateway: { baseUrl: "https://payments.example.com" },
      storefront: { access: "iam", redirectOrigins: ["https://shop.example.com"] },
      alarms: { email: "payments-on-call@example.com" },
      operators: ["arn:aws:iam::123456789012:role/payments-operators"],
    });
    Tags.of(this).add("team", "payments");
  }
}
