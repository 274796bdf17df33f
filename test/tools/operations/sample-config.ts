/** What a test's own config changes. */
export const sampleConfig = {
  merchants: ["shop-1"],
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"] },
    { name: "order-history", types: ["*"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  gateway: { baseUrl: "https://payments.example.com" },
  storefront: { access: "iam", redirectOrigins: ["https://shop.example.com"] },
};
