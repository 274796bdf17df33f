import { describe, expect, test } from "vitest";
import { callbackKeysOf, openerWith, outcomeOf, sentVectors } from "../../vectors/vectors.ts";

const refused = "not-authentic: wrong-signature";

describe.each(sentVectors.map((vector) => [vector.name, vector] as const))(
  "%s",
  (_name, vector) => {
    const open = openerWith(callbackKeysOf(vector));
    const outcome = (text: string) => outcomeOf(() => open(text));
    const { text, plaintext } = vector;
    const isAsSent = /as-sent$/.test(String(vector.profile["signedForm"]));
    const isJson = /json/.test(String(vector.profile["signedForm"]));

    test("opens to exactly its plaintext", () => {
      expect(outcome(text)).toBe(plaintext);
    });

    test("is refused with two fields in each other's place, if it is signed as sent", () => {
      const pair = /("merchantId": ?"\d+"),(\s*)("id": ?"[-0-9a-f]+")/;
      const swapped = text.replace(pair, "$3,$2$1");
      expect(swapped).not.toBe(text);
      expect(outcome(swapped)).toBe(isAsSent ? refused : plaintext);
    });

    test("is refused with another spelling of one value, if the spelling is signed", () => {
      const respelled = text.replace(/("eventName": ?"payment)\./, "$1\\u002e");
      expect(respelled).not.toBe(text);
      expect(outcome(respelled)).toBe(isAsSent && isJson ? refused : plaintext);
    });

    test("is refused under the other kind of body in JSON", () => {
      const bodyInJson = vector.profile["bodyInJson"] === "json" ? "text" : "json";
      const other = callbackKeysOf({ ...vector, profile: { ...vector.profile, bodyInJson } });
      expect(outcomeOf(() => openerWith(other)(text))).toBe(isJson ? refused : plaintext);
    });

    test("is refused with another value", () => {
      const id = text.replace("7f3c2a90", "7f3c2a91");
      expect(outcome(id)).toBe(refused);
      expect(outcome(text.replace("{", '{"added":1,'))).toBe(refused);
    });
  },
);
