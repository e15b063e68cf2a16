// The frame of all pages: the page in the head, keys, pausing, and reading the daemon's JSON again and again.

const frame = {paused: false, pollers: []};

// Calls `show` with the document at `path` now and every `period` seconds, while the page is in view and not paused.
function poll(path, period, show) {
  const poller = {timer: null, async read() {
    clearTimeout(poller.timer);
    if (frame.paused || document.hidden) return;
    try {
      const answer = await fetch(path, {cache: "no-store"});
      if (!answer.ok) throw new Error(`${path} has status ${answer.status}`);
      const value = await answer.json();
      trouble(null);
      show(value);
    } catch (error) {
      trouble(error instanceof TypeError ? "The daemon does not answer; the page shows what it said last." : String(error.message));
    }
    clearTimeout(poller.timer);
    poller.timer = setTimeout(poller.read, period * 1000);
  }};
  frame.pollers.push(poller);
  poller.read();
}

function trouble(text) {
  const element = find("trouble");
  element.hidden = text === null;
  if (text !== null && element.textContent !== text) element.textContent = text;
  document.body.classList.toggle("lost", text !== null);
}

function readAll() {
  for (const poller of frame.pollers) poller.read();
}

function pause(paused) {
  frame.paused = paused;
  document.body.classList.toggle("paused", paused);
  find("pause").setAttribute("aria-pressed", String(paused));
  find("pause-text").textContent = paused ? "paused" : "live";
  if (!paused) readAll();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing) return;
  const links = document.querySelectorAll("nav a");
  if (event.key >= "1" && event.key <= String(links.length)) links[Number(event.key) - 1].click();
  if (event.key === "p") pause(!frame.paused);
  if (event.key === "/" && find("filter")) { event.preventDefault(); find("filter").focus(); }
}

function startFrame(pages) {
  document.querySelector(`nav a[data-of="${document.body.dataset.page}"]`)?.setAttribute("aria-current", "page");
  find("pause").addEventListener("click", () => pause(!frame.paused));
  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) readAll(); });
  pages[document.body.dataset.page]();
}
