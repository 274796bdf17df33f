import type { Page } from "playwright-core";
import { flagWords } from "../../../shared/facts/flag-words.ts";

/** Words of ours in all their forms, with the word under which a ? explains them. A person at night does not know them. */
export const ownWords: Readonly<Record<string, RegExp>> = {
  "known to the service": /\bknown to the service\b/i,
  fact: /\bfacts?\b/i,
  regressed: /\bregress\w*/i,
  envelope: /\benvelopes?\b/i,
  attention: /\battention\b|\bneeds? a person\b/i,
  quarantine: /\bquarantined?\b/i,
  undeliverable: /\bundeliverable\b/i,
  sequence: /\bsequences?\b/i,
  flag: /\bflag(s|ged)?\b/i,
  redrive: /\bredriv\w*/i,
  replay: /\breplay\w*/i,
  dismissed: /\bdismiss\w*/i,
  "given back": /\bgiv\w+ back\b|\bgave back\b/i,
  reconciliation: /\breconcil\w*/i,
  "dead letters": /\bdead letters?\b/i,
};

/**
 * What the page says in words of ours without their ? and without their meaning beside them. Payloads are not our words,
 * and the texts of alarms, which ring at times of their own, have a test of their own.
 */
export async function unexplainedWords(page: Page): Promise<string[]> {
  const payloads = await page.locator("main pre, main .alarms").allInnerTexts();
  const whole = await page.locator("main").innerText();
  const text = payloads.reduce((rest, payload) => rest.replace(payload, ""), whole);
  const helps = await page.getByRole("button", { name: /^What does “/ }).all();
  const names = await Promise.all(helps.map((help) => help.getAttribute("aria-label")));
  const isExplained = (word: string) =>
    names.some((name) => name?.includes(`${word}”`)) ||
    (word === "regressed" && text.includes(flagWords.regressed.means));
  return Object.entries(ownWords).flatMap(([word, form]) => {
    const [used] = form.exec(text) ?? [];
    return used === undefined || isExplained(word) ? [] : [used];
  });
}
