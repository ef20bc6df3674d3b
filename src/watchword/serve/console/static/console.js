// The console's script. It makes no HTML and knows no addresses: forms and links say where they go, `data-part` says
// which part of the page their answer replaces, `data-key` which key presses them. Without it, pages work by loading.

const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const TYPING = 150; // milliseconds without a key before a draft is checked
const UNDO = 10_000; // milliseconds for which a message stays
const LATER = 10_000; // milliseconds until a refused stream is asked for again
const HIDDEN = 300_000; // milliseconds for which a page that is not seen keeps its stream
const PAIR = 1_000; // milliseconds between g and the key after it

document.documentElement.classList.add("scripted");

// Messages

let toastTimer = 0;

function say(text) {
  const toast = $("#toast");
  if (!toast) return;
  toast.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.textContent = ""), UNDO / 2);
}

// Parts of pages

function fragment(html) {
  return new DOMParser().parseFromString(html, "text/html").body;
}

async function ask(address, part, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "X-Part": part, Accept: "text/html", ...options.headers } });
  if (answer.status === 401) location.reload(); // the session has ended: the page says how to sign in
  const text = await answer.text();
  if (!answer.ok) throw new Error(text || `the server answered ${answer.status}`);
  return text;
}

function formBody(form, button) {
  const data = new FormData(form);
  if (button?.name) data.set(button.name, button.value);
  return { method: "POST", body: new URLSearchParams(data) };
}

function replace(part, body) {
  const old = document.getElementById(part);
  if (!old) return;
  if (part === "inbox" || part === "day" || part === "results") {
    old.replaceChildren(...body.childNodes);
    return;
  }
  const fresh = body.firstElementChild;
  const wasOpen = $("details.item", old)?.open, hadFocus = old.contains(document.activeElement);
  if (wasOpen) $("details.item", fresh).open = true;
  if ($(".reasons.lit", old)) $(".reasons", fresh).classList.add("lit");
  old.replaceWith(fresh);
  if (hadFocus) fresh.focus({ preventScroll: true });
}

async function send(form, button) {
  const part = form.dataset.part, before = part && document.getElementById(part)?.classList.contains("unread");
  try {
    const body = fragment(await ask(form.action, part, formBody(form, button)));
    const said = $("[data-said]", body);
    if (said) return say(said.textContent);
    replace(part, body);
    const after = document.getElementById(part)?.classList.contains("unread");
    if (part.startsWith("row-") && before !== after) count(after ? 1 : -1);
    if (part === "inbox") readCounts();
  } catch (error) {
    say(error.message);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset?.part) return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-part]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const part = link.dataset.part, href = link.getAttribute("href");
  $$("a[aria-current]", link.parentNode).forEach((other) => other.removeAttribute("aria-current"));
  link.setAttribute("aria-current", "true");
  try {
    replace(part, fragment(await ask(href, part)));
  } catch (error) {
    say(error.message);
  }
});

// Files are read into the field that is sent

document.addEventListener("change", async (event) => {
  const into = event.target.dataset?.into;
  if (into && event.target.files[0]) document.getElementById(into).value = await event.target.files[0].text();
});

// The inbox: counts, what comes live

let unread = 0;

function readCounts() {
  const shown = $("#unread-count");
  if (shown) count(Number(shown.textContent.replace(/\D/g, "")) - unread);
}

function count(change) {
  unread = Math.max(0, unread + change);
  const shown = $("#unread-count");
  if (shown) shown.textContent = unread.toLocaleString("en");
  document.title = document.title.replace(/^(\(\d+\) )?/, unread ? `(${unread}) ` : "");
}

function listen(inbox) {
  unread = Number(inbox.dataset.unread);
  let last = Number(inbox.dataset.last), busy = false, again = false, source = null, timer = 0;
  async function look() {
    if (busy) return (again = true);
    busy = true;
    do {
      again = false;
      try {
        const news = fragment(await ask(`${inbox.dataset.news}&after=${last}`, "news")).firstElementChild;
        last = Math.max(last, Number(news.dataset.last));
        count(Number(news.dataset.unread) - unread);
        const rows = $$(".row", news).filter((row) => !document.getElementById(row.id));
        rows.forEach((row) => row.classList.add("arrived"));
        $("#rows").prepend(...rows);
        if (rows.length) $(".empty")?.remove();
      } catch {
        return (busy = false); // the next event looks again
      }
    } while (again);
    busy = false;
  }
  function open() {
    clearTimeout(timer);
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource(`${inbox.dataset.live}?after=${last}`);
    source.addEventListener("delivery", () => (inbox.dataset.news ? look() : say("New items have come")));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, LATER); // refused: browsers give up then
    });
  }
  open();
  // A browser has six connections to a server: a page that nobody sees lets its own go after a while.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return open();
    clearTimeout(timer);
    timer = setTimeout(() => source.close(), HIDDEN);
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

if ($("#inbox")) listen($("#inbox"));

// The editor: checks and previews while one types

function edit(form) {
  const field = $("#text", form), under = $(".under", form), results = $("#results", form);
  let timer = 0, running = null;

  function markFault() {
    const check = $("#check", results);
    if (!check?.dataset.start) return under.replaceChildren();
    const characters = [...field.value], start = Number(check.dataset.start), length = Number(check.dataset.length);
    const fault = document.createElement("b");
    fault.textContent = characters.slice(start, start + length).join("") || " ";
    under.replaceChildren(characters.slice(0, start).join(""), fault, characters.slice(start + length).join(""));
  }

  async function check() {
    running?.abort();
    const own = (running = new AbortController());
    $(".results", results)?.classList.add("stale");
    try {
      const answer = await ask(form.action, "results", { ...formBody(form), signal: own.signal });
      if (own !== running) return;
      replace("results", fragment(answer));
      const filled = $(".fill-count", form);
      if (filled) filled.textContent = $(".results", results).dataset.fillCount;
      markFault();
    } catch (error) {
      if (error.name !== "AbortError") say(error.message);
    }
  }

  form.addEventListener("input", (event) => {
    if (!["text", "tried", "language", "verdict"].includes(event.target.name)) return;
    if (event.target === field) under.replaceChildren();
    running?.abort();
    clearTimeout(timer);
    timer = setTimeout(check, TYPING);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit($("[data-save]", form));
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (event.target.matches("input, textarea, select")) event.target.blur();
    }
  });
  markFault();
}

if ($("form[data-check]")) edit($("form[data-check]"));

// Keys

let rowAt = null, prefix = "", prefixTimer = 0;

function current() {
  const focused = document.activeElement?.closest?.(".row");
  return focused ?? (rowAt && document.getElementById(rowAt));
}

function move(step) {
  const rows = $$("#rows > .row"), at = rows.indexOf(current());
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1)];
  if (!next) return;
  rowAt = next.id;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function toggle(row) {
  const item = $("details.item", row);
  item.open = !item.open;
  if (item.open && row.classList.contains("unread")) $('[data-key="m"]', row).click();
}

function press(key) {
  const target = $(`[data-key="${CSS.escape(key)}"]`);
  target?.click();
  return Boolean(target);
}

function onRow(key, row) {
  if (key === "o" || key === "Enter") return toggle(row), true;
  if (key === "e") {
    $("details.item", row).open = true;
    $(".reasons", row).classList.toggle("lit");
    return true;
  }
  const target = $(`[data-key="${CSS.escape(key)}"]`, row);
  if (key === "v" && row.classList.contains("unread")) $('[data-key="m"]', row).click();
  target?.click();
  return Boolean(target);
}

function onKey(key) {
  if (prefix) {
    const pair = prefix + key;
    prefix = "";
    return press(pair);
  }
  const rows = $("#rows > .row"), row = rows && current();
  if (key === "g") {
    prefix = "g";
    clearTimeout(prefixTimer);
    prefixTimer = setTimeout(() => (prefix = ""), PAIR);
    return true;
  }
  if (key === "?") return $("#help")?.showModal(), true;
  if (key === "/") return $("[data-focus='/']")?.focus(), true;
  if (key === "Escape") return $("[data-back]")?.click(), true;
  if (rows && (key === "j" || key === "n")) return move(1), true;
  if (rows && (key === "k" || key === "p")) return move(-1), true;
  if (row && "ovmfez".includes(key)) return onRow(key, row);
  if (row && key === "Enter" && document.activeElement === row) return onRow(key, row);
  return key === "A" || key === "n" ? press(key) : false;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (event.target.closest?.("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (onKey(event.key)) event.preventDefault();
});
