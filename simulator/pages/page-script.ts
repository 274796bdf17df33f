/**
 * The script of all pages. Every page works without it. It counts seconds down on the simulator's clock, moves the focus
 * to the notice of a form, and updates the parts that change. A part in which the user works stays as it is.
 */
export const pageScript = `
const units = [["d", 86400, 1e9], ["h", 3600, 24], ["min", 60, 60], ["s", 1, 60]];
function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const counts = units.map(([unit, length, most]) => [Math.floor(seconds / length) % most, unit]);
  const first = counts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return counts.slice(first, first + 2).filter(([count]) => count > 0).map((one) => one.join(" ")).join(" ");
}

let anchor;
function readClock({ body }) {
  if (!body.dataset.now) return;
  anchor = { now: Number(body.dataset.now), speed: Number(body.dataset.speed), at: performance.now() };
}
function count(page) {
  if (!anchor) return;
  const now = anchor.now + (performance.now() - anchor.at) * anchor.speed;
  for (const part of page.querySelectorAll("[data-until]")) {
    const text = span(Number(part.dataset.until) - now);
    if (part.textContent !== text) part.textContent = text;
  }
}

const inUse = (part) => part.contains(document.activeElement);
async function update() {
  if (document.hidden) return;
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  readClock(fresh);
  count(fresh);
  count(document);
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (next && !inUse(part) && next.innerHTML !== part.innerHTML) part.replaceWith(next);
  }
}

readClock(document);
document.getElementById("notice")?.focus();
setInterval(() => count(document), 250);
if (document.querySelector("[data-live]")) setInterval(() => update().catch(() => {}), 1500);
`;
