"""What the envelopes carry: results as the service sends them (§2.11, §2.12) and a merchant's bodies (§2.3, §2.8)."""

MERCHANT = "208812345678900018"
NOW = 1790000000000

SUCCESS = "payment.order.success"
FAILED = "payment.order.failed"
TIMEOUT = "payment.order.timeout"
CONFIRMING = "payment.order.confirming"
REFUNDED = "payment.refund.success"
REFUND_FAILED = "payment.refund.failed"

# Each text is taken to the letter: senders differ in spacing, in escapes and in the names of §2.11.
RESULTS = [
    (SUCCESS, '{"merchantId":"208812345678900018","referOrderNo":"SO-2026-000481","transactionId":"4200001923202609220117",'
              '"paymentAmount":129.90,"currency":"EUR","paymentTime":1789999940000,"completeTime":1789999971250,'
              '"status":"success","msg":""}'),
    (FAILED, '{"merchantId":"208812345678900018","referOrderNo":"訂單-７７８１","transactionId":"4200001923202609220118",'
             '"paymentAmount":4500,"currency":"JPY","paymentTime":1789999900000,"completeTime":1789999961000,'
             '"status":"failed","msg":"残高が不足しています 💳🚫"}'),
    (TIMEOUT, '{\n  "merchantId": "208812345678900018",\n  "outOrderNo": "SO-2026-000483",\n  "transactionId": "",\n'
              '  "paymentAmount": "12.500",\n  "currency": "TND",\n  "paymentTime": "1789998100000",\n'
              '  "paidTime": "1789999900000",\n  "status": "timeout",\n  "msg": "Order expired"\n}'),
    (CONFIRMING, '{"merchantId":"208812345678900018","referOrderNo":"Größe/Œuvre №7","transactionId":"4200001923202609220120",'
                 '"paymentAmount":0.01,"currency":"USD","paymentTime":1789999990000,"status":"confirming"}'),
    (REFUNDED, '{"merchantId":"208812345678900018","refundId":"RF0000000000000000000000000017","paymentId":"PA00000000000000000000000000481A",'
               '"referRefundNo":"RMA-881","transactionId":"4200001923202609220121","refundAmount":29.95,'
               '"refundTime":1789999950000,"completeTime":1789999999000,"status":"refund_success","msg":""}'),
    (REFUND_FAILED, '{"merchantId":"208812345678900018","refundId":"RF0000000000000000000000000018","paymentId":"PA00000000000000000000000000481A",'
                    '"referRefundNo":"RMA-882","transactionId":"4200001923202609220122","refundAmount":"7.00",'
                    '"refundTime":1789999951000,"completeTime":1789999999500,"status":"refund_failed",'
                    '"msg":"Refused by \\"issuer\\" \\\\ code 51\\n\\u4f59\\u989d\\u4e0d\\u8db3 \\ud83d\\ude15 \\/end"}'),
    (SUCCESS, '{"merchantId" : "208812345678900018",\t"referOrderNo" : "a=1&b=2&sign=x",\r\n"transactionId" : "T&=1",\r\n'
              '"paymentAmount" : 99999999.999, "currency" : "KWD", "paymentTime" : 1789999940001,\r\n'
              '"completeTime" : 1789999971251, "status" : "success", "msg" : "naïve – «ok»\u2028\u2029 e\u0301 \U0001f469\u200d\U0001f4bb"}'),
]

# 96 bytes exactly, so that the padding is a whole block of its own.
WHOLE_BLOCKS = (SUCCESS, '{"merchantId":"208812345678900018","referOrderNo":"SO-1","paymentAmount":1,"status":"success"  }')
assert len(WHOLE_BLOCKS[1].encode()) == 96

IDS = [
    "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54",
    "0b9a6f5e4d3c4b2aa190f8e7d6c5b4a3",
    "C0FFEE00-1234-4ABC-8DEF-00112233445A",
    "e2d1c0bfa9884776b5a493827160f5e4",
]

BODIES = [
    ("service.trade.query", '{"paymentId":"PA00000000000000000000000000481A"}'),
    ("service.trade.create", '{"order":{"orderNo":"SO-2026-000481","orderAmount":129.9,"orderDescription":"Zwei Stühle & 1 Tisch = “Set” 🪑",'
                             '"goods":[{"referenceGoodsId":"CH-1","goodsName":"Stuhl","goodsAmount":64.95,"goodsQuantity":2}]},'
                             '"channel":"WEB","paymentAmount":129.9,"currency":"EUR","paymentTime":1790000000000,'
                             '"paymentExpiryTime":1790001800000,"callbackUrl":"https://pay.example.com/callbacks?a=1&b=2"}'),
    ("service.trade.create", '{"order":{"orderNo":"注文-42","orderAmount":4500,"goods":[{"referenceGoodsId":"g","goodsName":"\\"本\\"\\t\\\\ 📕"}]},'
                             '"channel":"APP","paymentAmount":4500,"currency":"JPY","paymentTime":1790000000001,'
                             '"paymentExpiryTime":1790000300001}'),
]
