/** The examples of the document. Each of them is run against the functions by a test. */

export const orderRequests = {
  minimal: {
    order: {
      orderNo: "SO-2026-000481",
      orderAmount: "12.30",
      goods: [
        { referenceGoodsId: "tea", goodsName: "Green tea", goodsAmount: "4.10", goodsQuantity: 3 },
      ],
    },
    channel: "WEB",
    paymentAmount: "12.30",
    currency: "USD",
  },
  complete: {
    merchantId: "208812345678900018",
    order: {
      orderNo: "SO-2026-000482",
      orderAmount: 50,
      totalTax: 4.2,
      tips: 1,
      discount: 5,
      insurance: 0.5,
      handlingFee: 0.3,
      shippingDiscount: 1,
      orderDescription: "Two pots and a tin",
      shipping: {
        shipType: "SHIPPING",
        amount: 4.9,
        name: "Receiver of the goods",
        address: "1 Example Street, Example Town",
      },
      goods: [
        {
          referenceGoodsId: "pot",
          goodsName: "Teapot",
          goodsDesc: "Cast iron, 0.8 l",
          goodsAmount: 20,
          tax: 1.6,
          goodsQuantity: 2,
        },
        { referenceGoodsId: "tin", goodsName: "Tin", goodsAmount: 10, tax: 1, goodsQuantity: 1 },
      ],
    },
    channel: "WEB",
    paymentAmount: 49.7,
    currency: "EUR",
    callbackUrl: "https://shop.example.com/webhook",
    redirectUrl: "https://shop.example.com/thanks?order=SO-2026-000482",
  },
  app: {
    order: {
      orderNo: "SO-2026-000483",
      orderAmount: 1200,
      goods: [
        { referenceGoodsId: "cup", goodsName: "Cup", goodsUnitAmount: 600, goodsQuantity: 2 },
      ],
    },
    channel: "APP",
    paymentAmount: 1200,
    currency: "JPY",
    redirectUrl: "myshop://thanks",
  },
};

const paymentId = "0f8e4cb2a6d94b1f9c3e5a7d1b2c3d4e";
const amount = { value: "12.30", minor: "1230", currency: "USD" };

const unansweredOrder = {
  merchantId: "208812345678900018",
  orderNo: "SO-2026-000481",
  channel: "WEB",
  status: "pending",
  statusOrigin: "create",
  statusAt: "2026-11-15T01:22:45.123Z",
  stale: false,
  outcomeUnknown: true,
  amount,
  callbackUrl: "https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/callbacks",
  createdAt: "2026-11-15T01:22:45.123Z",
  expiresAt: "2026-11-15T01:52:45.123Z",
  refunds: [],
  flags: [],
  sequence: 0,
  payments: [],
};

const createdOrder = {
  ...unansweredOrder,
  outcomeUnknown: false,
  paymentId,
  refundedAmount: { value: "0.00", minor: "0", currency: "USD" },
  payments: [{ paymentId, sequence: 0 }],
};

const pendingOrder = {
  ...createdOrder,
  checkoutUrl: `https://pay.example.com/checkout/${paymentId}`,
};

const paidOrder = {
  ...createdOrder,
  status: "success",
  statusOrigin: "callback",
  statusAt: "2026-11-15T01:23:17.004Z",
  paidAmount: amount,
  transactionId: "T9C1E5A7D1B2C3D4E0F8E4CB2A6D9",
  completedAt: "2026-11-15T01:23:16.871Z",
  sequence: 2,
};

const refund = {
  transactionId: "T0F8E4CB2A6D99C1E5A7D1B2C3D4E",
  createdAt: "2026-11-15T09:10:00.000Z",
  completedAt: "2026-11-15T09:10:02.000Z",
  refundId: "c3e5a7d1b2c3d4e0f8e4cb2a6d94b1f9",
  paymentId,
  refundNo: "RMA-881",
  status: "refund_success",
  amount: { value: "4.10", minor: "410", currency: "USD" },
};

export const orders = {
  pending: pendingOrder,
  refused: {
    ...unansweredOrder,
    status: "refused",
    outcomeUnknown: false,
    service: { code: "40902", msg: "orderNo was used before" },
  },
  stale: { ...pendingOrder, stale: true },
  unanswered: { ...unansweredOrder, stale: true },
  paid: paidOrder,
  refunded: {
    ...paidOrder,
    checkoutUrl: undefined,
    refundStatus: refund.status,
    refunds: [refund],
    refundedAmount: refund.amount,
    payments: [{ paymentId, sequence: 1 }],
  },
};

/** Created at the payment service, but not by this stack. */
export const foreignOrder = {
  merchantId: paidOrder.merchantId,
  orderNo: "ELSEWHERE-7",
  status: "success",
  statusOrigin: "query",
  statusAt: paidOrder.statusAt,
  stale: false,
  outcomeUnknown: false,
  amount,
  paidAmount: amount,
  transactionId: paidOrder.transactionId,
  paymentId,
  createdAt: paidOrder.createdAt,
  completedAt: paidOrder.completedAt,
  refunds: [],
  flags: ["unknownOrder"],
  sequence: 0,
  payments: [{ paymentId, sequence: 0 }],
};

/** Sealed with test keys; a receiver rejects it as too old. */
export const callbackRequests = {
  paid: {
    id: "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54",
    merchantId: "208812345678900018",
    eventName: "payment.order.success",
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    sign: "OwaH9d2zCBPei+Q2oiraFLWq2jeoZMncINIW+vuyHTqWzGpNhUhZa3VDQs+yvQlxSJ1pj622NjbS2sFm/38Z+b9tFAbH4dfGuI3YSzIsyoOmJy2yBwmdoxgQWWOVXeXssTrncs629eud/2VwgfCzwGm2tnnni/q7f4NbTKsVPDoAx/tmISkawNfuuMbV9eOS9QhSHSANkdPw4HDvjkyTT0Onr/qvBs4qilPh8/AelH4YAxMHhuH3/OUMwcN9peOA6xm4Z4zv4dv71elE400ZASYj6Lvg0pIGIjBFk9W7vKYztBJTwy2ZmLFxuyndiaeJKUgx6o7zoOiwD9qtJuM7tQ==",
    timestamp: 1790000000000,
    body: "xlMRGhAqMIxRviVpmUaBMktRpSFqs3zMaJcZVkl+wDgh7j3AT00XUaNrkomd372JT065LqjLAHJ4TvOJZxs1x8bDRpG0IIFRf8TLaf4yAXCEeOTmyH2aJQzcM+l0Ih9hYA6H6e3NL+I9BT/Q1mvYPQVpNzsFIa37+D5xwrCyyb63Db3jjRa10Mugj/st6HTCp4QBKmbIXKf5aCg3Od4CEUEAADwQgL5ooSRUe2R8Qzn5PFuJFKvKBu1dSqq3joZF41FXZva5EWhZ6cKkLBK7W7G+LCQvztynSMgmjAn/yTdJS1oFFnMnrLcLRRFF9uHv",
  },
};

export const callbackAnswers = {
  "200": { stored: { code: 20000, msg: "" } },
  "400": { "not-an-envelope": { code: 40000, msg: "not a callback envelope" } },
  "401": { "not-authentic": { code: 40100, msg: "not authentic" } },
  "403": { "source-not-allowed": { code: 40300, msg: "not from this address" } },
  "413": { "too-large": { code: 41300, msg: "over 256 KiB" } },
  "503": { "not-stored": { code: 50300, msg: "not stored, send it again" } },
};
