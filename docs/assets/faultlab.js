/* What the pages do beyond being read: scheme, search, copying a program, keyboard access to
   what scrolls. No library, no request to anyone but this site; without it all can be read. */
(() => {
  "use strict";
  const root = document.documentElement;
  const config = JSON.parse(document.getElementById("__config").textContent);
  const tool = (name) => document.querySelector(`[data-fl="${name}"]`);
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const later = (task) => (window.requestIdleCallback ?? setTimeout)(task);

  /* ---- light and dark: the reader's choice, or else the system's */

  function scheme() {
    const button = tool("scheme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.scheme ?? (system.matches ? "dark" : "light")) === "dark";
    const say = () => {
      tool("scheme-name").textContent = dark() ? "Light" : "Dark";
      button.setAttribute("aria-label", dark() ? "Light scheme" : "Dark scheme");
    };
    button.addEventListener("click", () => {
      root.dataset.scheme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("faultlab.scheme", root.dataset.scheme);
      } catch {
        // Storage is closed to this page: the choice holds for as long as the page is open.
      }
      say();
    });
    system.addEventListener("change", say);
    say();
  }

  /* ---- copying: the clipboard gets the bytes that the download link gives */

  function copying(figure) {
    const download = figure.querySelector("a.fl-download");
    if (!download) return;
    const button = make("button", { type: "button", className: "fl-copy" }, "Copy the program");
    const said = make("span", { className: "fl-copied" });
    said.setAttribute("role", "status");
    let program = null;
    const fetched = async () => {
      const answer = await fetch(download.href);
      if (!answer.ok) throw new Error(`${answer.status}`);
      return answer.text();
    };
    button.addEventListener("click", async () => {
      said.textContent = "";
      try {
        program ??= await fetched();
        await navigator.clipboard.writeText(program);
        said.textContent = "Copied";
      } catch {
        said.textContent = program
          ? "The browser keeps the clipboard closed: download the program instead."
          : "The program could not be fetched: try the download.";
      }
    });
    download.before(button);
    download.after(said);
  }

  /* ---- what scrolls sideways can be reached and scrolled with the keyboard */

  function scrolling() {
    const text = document.getElementById("fl-text");
    for (const table of text.querySelectorAll("table:not([class])")) {
      if (table.closest(".fl-scroll")) continue;
      const frame = make("div", { className: "fl-scroll" });
      table.replaceWith(frame);
      frame.append(table);
    }
    // An observer is told after the layout is done; asking earlier would cost a layout of its own.
    const reach = new ResizeObserver((boxes) => {
      for (const { target: box } of boxes) {
        if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
      }
    });
    for (const box of text.querySelectorAll("pre, .fl-scroll:not([role])")) {
      if (box.closest(".fl-file")) box.tabIndex = 0; // a whole file always scrolls
      else reach.observe(box);
    }
  }

  /* ---- the contents: where the reader is, and closing after a choice */

  function contents() {
    const list = document.getElementById("fl-contents");
    if (!list) return;
    list.addEventListener("click", (event) => {
      if (event.target.closest("a") && list.matches(":popover-open")) list.hidePopover();
    });
    const links = new Map(
      [...list.querySelectorAll(".fl-toc a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
    );
    const parts = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    if (!parts.length) return;
    let waiting = false;
    const mark = () => {
      waiting = false;
      const end = scrollY + innerHeight >= root.scrollHeight - 2;
      const passed = parts.filter((part) => part.getBoundingClientRect().top < innerHeight * 0.3);
      const here = end ? parts.at(-1) : passed.at(-1);
      for (const [id, link] of links) {
        if (here?.id === id) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
      }
    };
    addEventListener(
      "scroll",
      () => {
        if (!waiting) requestAnimationFrame(mark);
        waiting = true;
      },
      { passive: true },
    );
    later(mark);
  }

  /* ---- search: every word has to occur; titles and whole phrases come first */

  const plain = (html) =>
    new DOMParser().parseFromString(html, "text/html").body.textContent.replace(/\s+/g, " ");

  async function index() {
    const answer = await fetch(new URL(config.search, location));
    if (!answer.ok) throw new Error(`${answer.status}`);
    const { docs } = await answer.json();
    const titles = new Map();
    return docs.map(({ location: place, title, text }) => {
      const page = place.split("#")[0];
      const name = plain(title);
      if (!place.includes("#")) titles.set(page, name);
      const above = place.includes("#") ? titles.get(page) : "";
      const body = plain(text);
      return { place, name, above, body, found: `${name} ${body}`.toLowerCase() };
    });
  }

  const literal = (word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

  function ranked(entries, query) {
    const phrase = query.toLowerCase();
    const words = phrase.split(/\s+/).filter(Boolean);
    const starts = words.map((word) => new RegExp(`(^|[^\\p{L}\\p{N}])${literal(word)}`, "u"));
    const score = (entry) => {
      const name = entry.name.toLowerCase();
      const titled = words.filter((word) => name.includes(word)).length;
      const started = starts.filter((start) => start.test(entry.found)).length;
      const together = entry.found.includes(phrase) ? 3 : 0;
      return 4 * titled + started + together + (name === phrase ? 9 : 0);
    };
    return entries
      .filter((entry) => words.length && words.every((word) => entry.found.includes(word)))
      .map((entry) => ({ ...entry, words, score: score(entry) }))
      .sort((a, b) => b.score - a.score);
  }

  /** The text around the first word that was asked for, with all of them marked. */
  function excerpt({ body, words }) {
    const low = body.toLowerCase();
    const first = Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0), low.length);
    const start = first === low.length ? 0 : Math.max(0, low.lastIndexOf(" ", Math.max(0, first - 50)) + 1);
    const part = body.slice(start, start + 170);
    const pieces = part.split(new RegExp(`(${words.map(literal).join("|")})`, "giu"));
    const marked = pieces.map((piece, i) => (i % 2 ? make("mark", {}, piece) : piece));
    return make("small", {}, start ? "… " : "", ...marked, start + 170 < body.length ? " …" : "");
  }

  function answer(entry) {
    const above = entry.above && entry.above !== entry.name ? ` · ${entry.above}` : "";
    const href = new URL(entry.place || ".", new URL(`${config.base}/`, location));
    const name = make("strong", {}, entry.name + above);
    return make("li", {}, make("a", { href }, name, excerpt(entry)));
  }

  /** The dialog is made when it is first asked for, and the index is fetched then. */
  function dialog() {
    const input = make("input", {
      type: "search",
      name: "query",
      placeholder: "A word, a number, an error text",
      autocomplete: "off",
      spellcheck: false,
    });
    input.setAttribute("aria-label", "Search");
    const said = make("p", { className: "fl-search__said" });
    said.setAttribute("role", "status");
    const list = make("ol");
    const close = make("button", { type: "button", className: "fl-tool" }, "Close");
    const form = make("form", {}, input, close);
    form.setAttribute("role", "search");
    const box = make("dialog", { className: "fl-search" }, form, said, list);
    box.setAttribute("aria-label", "Search");
    document.body.append(box);

    let entries = null;
    const show = async () => {
      const asked = input.value.trim();
      try {
        entries ??= index();
        const found = ranked(await entries, asked);
        if (asked !== input.value.trim()) return;
        const count = `${found.length || "No"} ${found.length === 1 ? "place" : "places"}`;
        said.textContent = asked ? count + (found.length > 20 ? ", the first 20" : "") : "";
        list.replaceChildren(...found.slice(0, 20).map(answer));
      } catch {
        entries = null;
        said.textContent = "The index could not be fetched. Type again to try again.";
      }
    };
    show();
    close.addEventListener("click", () => box.close());
    input.addEventListener("input", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    box.addEventListener("click", (event) => {
      if (event.target === box || event.target.closest("a")) box.close();
    });
    box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [input, ...list.querySelectorAll("a")];
      const next = step && stops[stops.indexOf(document.activeElement) + step];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    });
    return { open: () => (box.showModal(), input.select()) };
  }

  function searching() {
    let made = null;
    const open = () => (made ??= dialog()).open();
    tool("search").addEventListener("click", open);
    addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        open();
      }
    });
  }

  scheme();
  searching();
  contents();
  scrolling();
  document.querySelectorAll("figure.fl-code[data-snippet]").forEach(copying);
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("#fl-text details")) details.open = true;
  });
})();
