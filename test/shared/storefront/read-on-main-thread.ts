import { readFileSync } from "node:fs";
import { problemResponse } from "../../../shared/storefront/make-response.ts";
import { readOrder, requestText } from "../../../shared/storefront/read-order.ts";

/*
 * A process of its own, since its main thread has the stack that a function has in Lambda. Takes a JSON list of request
 * bodies on standard input, and writes the list of answers.
 */

const bodies: string[] = JSON.parse(readFileSync(0, "utf8"));
const rules = {
  nowMilliseconds: Date.now(),
  redirects: { loopback: false },
  merchantIds: ["M1"],
  shortOrderNumbers: false,
  exactSums: true,
};

const answers = bodies.map((body) => {
  try {
    readOrder(requestText({ body, isBase64Encoded: false }), rules);
    return "accepted";
  } catch (error) {
    return problemResponse(error);
  }
});
process.stdout.write(JSON.stringify(answers));
