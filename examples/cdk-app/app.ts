import { App } from "aws-cdk-lib";
import { PaymentsStack } from "./payments-stack.js";
import { ShippingStack } from "./shipping-stack.js";

const app = new App();
const { paycast } = new PaymentsStack(app, "Payments");
new ShippingStack(app, "Shipping", { events: paycast.subscriberQueue("fulfilment") });
