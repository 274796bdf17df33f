// The pages work without this script. With it, the basket changes in place, and an order's page follows its order.

async function show(response) {
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = next.querySelector("main");
  if (main === null || !response.ok) throw new Error(`The shop answered ${response.status}.`);
  const current = document.querySelector("main");
  // A page that is the same keeps its focus and its selection.
  if (main.outerHTML === current.outerHTML) return;
  const focused = document.activeElement?.id ?? "";
  const before = announcementOf(document);
  current.replaceWith(main);
  document.title = next.title;
  if (announcementOf(document) !== before) announce(announcementOf(document));
  giveFocusBack(focused);
}

function announcementOf(page) {
  return page.querySelector("main").dataset.announcement;
}

function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// The button that removed the last packet is gone. The one that adds it is in its place.
function giveFocusBack(id) {
  if (id === "") return;
  const element =
    document.getElementById(id) ?? document.getElementById(id.replace("remove-", "add-"));
  element?.focus({ preventScroll: true });
}

let changing = Promise.resolve();

// One change after the other, so that the page ends with the last one.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-in-place]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  changing = changing
    .then(() => fetch(form.action, { method: "POST", body }))
    .then(show)
    .catch(() => announce("The shop does not answer. Please try again."));
});

function lookAgainLater() {
  const seconds = document.querySelector("main").dataset.lookAgainSeconds;
  if (seconds === undefined) return;
  setTimeout(async () => {
    if (!document.hidden)
      await fetch(location.pathname)
        .then(show, () => {})
        .catch(() => {});
    lookAgainLater();
  }, Number(seconds) * 1000);
}

lookAgainLater();
