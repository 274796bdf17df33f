import { expect, test } from "vitest";
import { tellManyRefused } from "../../../console/page/views/many-refused.ts";

const counted = (total: number) => ({ total, perStep: [total], stepMinutes: 1, since: 0 });
const told = (what: string) => `${what} of the last hour were not authentic.`;

test.each([
  { what: "all", accepted: 0, refused: 3, ofNobody: 0, says: told("3 of 3 callbacks") },
  { what: "a quarter", accepted: 9, refused: 3, ofNobody: 0, says: told("3 of 12 callbacks") },
  { what: "less than a quarter", accepted: 10, refused: 3, ofNobody: 0, says: undefined },
  { what: "only two", accepted: 0, refused: 2, ofNobody: 0, says: undefined },
  { what: "all for unknown merchants", accepted: 0, refused: 30, ofNobody: 30, says: undefined },
  { what: "none", accepted: 0, refused: 0, ofNobody: 0, says: undefined },
])("refused callbacks need a person if they are many: $what", (given) => {
  const { accepted, refused, ofNobody, says } = given;
  const message = tellManyRefused({
    accepted: counted(accepted),
    notAuthentic: counted(refused),
    unknownMerchant: counted(ofNobody),
  });
  expect(message?.replace(/ The keys .*/, "")).toBe(says);
});
