/* The checklist's page. It keeps the answers in the page's memory, and asks and tells nobody. All
   texts come from the package; what is exported is, byte for byte, what the command prints. */
(() => {
  "use strict";
  const form = document.currentScript.closest(".fl-check");
  const data = JSON.parse(form.querySelector('script[type="application/json"]').textContent);
  const { words, items } = data;
  const [barTemplate, answerTemplate, openTemplate] = form.querySelectorAll("template");
  const find = (selector, within = form) => within.querySelector(selector);
  const fill = (name, values = {}) =>
    words[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
  const section = (id) => find(`[data-item="${id}"]`);
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  let operation;
  let unsaved = false;
  let counts = null; // per consequence, as last told

  /* ---- a checklist: {operation, answers: {id: {answer, reason, …, waived_until}}} */

  const blank = () =>
    Object.fromEntries(
      data.keys.map((key) => [key, key === "waived_until" ? null : key === "answer" ? "unknown" : ""]),
    );

  /** A text of the reader's as one line of Markdown that can't open an HTML element. */
  const line = (text) =>
    text.replace(/[ \t\r\n]+/g, " ").replace(/^ +| +$/g, "").replaceAll("<", "&lt;");

  function today() {
    const now = new Date();
    const two = (number) => String(number).padStart(2, "0");
    return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  }

  /** Why an item stays open, or nothing. */
  function problem(answer) {
    if (answer.answer === "yes") return "";
    if (answer.answer === "not-applicable") return line(answer.reason) ? "" : words.bare;
    const state = answer.answer === "no" ? words.state_no : words.state_unknown;
    const until = answer.waived_until;
    if (!until) return state;
    if (until < today()) return fill("expired", { state, until });
    return line(answer.reason) ? "" : fill("unreasoned", { state });
  }

  const isOpen = (list, item) => problem(list.answers[item.id]) !== "";
  const isWaived = (list, { id }) =>
    ["no", "unknown"].includes(list.answers[id].answer) &&
    Boolean(list.answers[id].waived_until) &&
    !problem(list.answers[id]);
  const isClaimed = (list, { id }) =>
    list.answers[id].answer === "yes" && !line(list.answers[id].evidence);
  const named = (list) => line(list.operation) || words.unnamed;
  const owner = (answer) => (line(answer.owner) ? fill("owner", { owner: line(answer.owner) }) : "");
  const ended = (lines) => `${lines.join("\n").replace(/\n+$/, "")}\n`;

  function openBy(list, consequence) {
    return items.filter((item) => item.consequence === consequence && isOpen(list, item));
  }

  function summary(list) {
    const lines = [fill("summary", { operation: named(list) }), ""];
    if (!items.some((item) => isOpen(list, item))) lines.push(words.none, "");
    for (const consequence of data.consequences) {
      const chosen = openBy(list, consequence);
      if (!chosen.length) continue;
      const told = fill("open", { consequence: capital(consequence), count: chosen.length });
      lines.push(`**${told}**`, "", ...chosen.map((item) => openLine(list, item)), "");
    }
    const waived = items.filter((item) => isWaived(list, item));
    if (waived.length) {
      lines.push(words.waived, "", ...waived.map((item) => waivedLine(list, item)), "");
    }
    const claimed = items.filter((item) => isClaimed(list, item)).map((item) => `\`${item.id}\``);
    if (claimed.length) lines.push(fill("claimed", { ids: claimed.join(", ") }), "");
    return ended(lines);
  }

  function openLine(list, { id, question }) {
    const answer = list.answers[id];
    return fill("open_item", { id, owner: owner(answer), problem: problem(answer), question: `${question} ` });
  }

  function waivedLine(list, { id }) {
    const answer = list.answers[id];
    const reason = line(answer.reason);
    return fill("waived_item", { id, until: answer.waived_until, owner: owner(answer), reason });
  }

  function markdown(list) {
    const lines = [fill("title", { operation: named(list) }), ""];
    for (const group of data.groups) {
      lines.push(fill("group", { group: capital(group) }), "");
      for (const item of items.filter((found) => found.group === group)) {
        lines.push(...itemLines(item, list.answers[item.id]));
      }
    }
    return ended(lines);
  }

  function itemLines(item, answer) {
    const lines = [fill("question", item), "", fill("item", item), ""];
    lines.push(fill("answer", { answer: words[answer.answer] }));
    for (const [key, name] of Object.entries(data.texts)) {
      const text = line(answer[key]);
      if (text) lines.push(fill(name, { text }));
    }
    if (answer.waived_until) lines.push(fill("until", { text: answer.waived_until }));
    return [...lines, ""];
  }

  function json(list) {
    const whole = { format: data.format, operation: list.operation, items: list.answers };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }

  /* ---- a file that was saved before */

  class Wrong extends Error {}
  const wrong = (name, values) => new Wrong(fill(name, values));
  const isObject = (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const shown = (value) => (typeof value === "string" ? JSON.stringify(value) : words.no_string);

  function read(text) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      throw wrong("no_json");
    }
    if (!isObject(found) || found.format !== data.format) throw wrong("no_checklist", data);
    if (!isObject(found.items) || typeof found.operation !== "string") throw wrong("no_items");
    const given = (id) => (Object.hasOwn(found.items, id) ? found.items[id] : {});
    return {
      operation: found.operation,
      answers: Object.fromEntries(items.map(({ id }) => [id, readAnswer(id, given(id))])),
      strange: Object.keys(found.items).filter((id) => !items.some((item) => item.id === id)),
    };
  }

  function readAnswer(id, value) {
    if (!isObject(value)) throw wrong("no_object", { id });
    for (const key of Object.keys(value)) {
      if (!data.keys.includes(key)) {
        throw wrong("no_key", { id, value: shown(key), known: data.keys.join(", ") });
      }
    }
    const answer = { ...blank(), ...value };
    if (!data.responses.includes(answer.answer)) {
      const known = data.responses.join(", ");
      throw wrong("no_answer", { id, value: shown(answer.answer), known });
    }
    for (const key of Object.keys(data.texts)) {
      answer[key] ??= "";
      if (typeof answer[key] !== "string") {
        throw wrong("no_text", { key, id, value: shown(answer[key]) });
      }
    }
    answer.waived_until = day(id, answer.waived_until);
    return Object.fromEntries(data.keys.map((key) => [key, answer[key]]));
  }

  function day(id, value) {
    if (value === null || value === "") return null;
    const form_ = typeof value === "string" && /^([0-9]{4})-[0-9]{2}-[0-9]{2}$/.exec(value);
    const date = form_ && form_[1] !== "0000" ? new Date(`${value}T00:00:00Z`) : null;
    if (!date || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value) {
      throw wrong("no_date", { id, value: shown(value) });
    }
    return value;
  }

  async function open(file) {
    const error = find(".fl-check-error");
    error.textContent = "";
    let list;
    try {
      list = read(await file.text());
    } catch (cause) {
      if (!(cause instanceof Wrong)) throw cause;
      error.textContent = `${file.name}: ${cause.message} Your answers on this page are unchanged.`;
      return;
    }
    if (unsaved && !confirm("Replace the answers on this page, which aren’t saved?")) return;
    put(list);
    saved(true);
    if (list.strange.length) {
      error.textContent =
        `${file.name} has ids that no item here has: ${list.strange.join(", ")}. They are not shown ` +
        "here and would be missing from what you save.";
    }
    say(`${file.name} is open. ${told(list)}`);
  }

  /* ---- the form */

  function answerOf(id) {
    const within = section(id);
    const field = (key) => find(`[data-key="${key}"]`, within).value;
    const answer = find(":checked", within)?.value ?? "unknown";
    const texts = Object.keys(data.texts).map((key) => [key, field(key)]);
    return { answer, ...Object.fromEntries(texts), waived_until: field("waived_until") || null };
  }

  const current = () => ({
    operation: operation.value,
    answers: Object.fromEntries(items.map(({ id }) => [id, answerOf(id)])),
  });

  function put(list) {
    operation.value = list.operation;
    for (const { id } of items) {
      const answer = list.answers[id];
      const within = section(id);
      const texts = data.keys.slice(1).filter((key) => answer[key]);
      for (const radio of within.querySelectorAll('[type="radio"]')) {
        // A file can't tell "don't know" from not answered yet; both are open.
        radio.checked = radio.value === answer.answer && (radio.value !== "unknown" || texts.length > 0);
      }
      for (const key of data.keys.slice(1)) {
        const field = find(`[data-key="${key}"]`, within);
        const text = answer[key] ?? "";
        // A field of one line would drop the break, and join two words.
        field.value = field.type === "text" ? text.replace(/[\r\n]+/g, " ") : text;
      }
      expand(within, texts.length > 0);
    }
    update();
  }

  function expand(within, more) {
    find('[data-do="more"]', within).setAttribute("aria-expanded", String(more));
  }

  const told = (list) =>
    data.consequences
      .map((consequence) => [consequence, openBy(list, consequence).length])
      .map(([consequence, count]) => fill("open", { consequence: capital(consequence), count }))
      .join(". ");

  /** Show what stays open, everywhere it is shown; say aloud only what has changed. */
  function update(aloud = false) {
    const list = current();
    const now = data.consequences.map((consequence) => openBy(list, consequence).length);
    const texts = data.consequences.map((consequence, i) =>
      fill("open", { consequence: capital(consequence), count: now[i] }),
    );
    const changed = texts.filter((_, i) => counts && counts[i] !== now[i]);
    counts = now;
    find('[data-part="counts"]').replaceChildren(
      ...texts.map((text, i) => element("span", { textContent: text, className: now[i] ? "" : "done" })),
    );
    for (const { id } of items) state(id, list.answers[id]);
    for (const field of form.querySelectorAll(".fl-check-told")) {
      field.textContent = field.previousElementSibling.value;
    }
    const owners = new Set(items.map(({ id }) => list.answers[id].owner).filter(Boolean));
    find("#fl-check-owners").replaceChildren(...[...owners].map((value) => element("option", { value })));
    showOpen(list);
    if (aloud && changed.length) say(`${changed.join(". ")}.`);
  }

  function state(id, answer) {
    const within = section(id);
    const touched = Boolean(find(":checked", within)) || data.keys.slice(1).some((key) => answer[key]);
    const found = problem(answer);
    let text = "";
    if (touched) text = found ? `Open: ${found}.` : "";
    if (isWaived({ answers: { [id]: answer } }, { id })) text = `Waived until ${answer.waived_until}.`;
    if (isClaimed({ answers: { [id]: answer } }, { id })) text = "No evidence is linked yet.";
    find('[data-part="state"]', within).textContent = text;
    // What can't be of use with this answer is not asked for, but never hidden while it says something.
    const useless = { reason: ["yes"], waived_until: ["yes", "not-applicable"] };
    for (const [key, when] of Object.entries(useless)) {
      find(`.k-${key}`, within).hidden = when.includes(answer.answer) && !answer[key];
    }
  }

  function showOpen(list) {
    const parts = data.consequences.flatMap((consequence) => {
      const chosen = openBy(list, consequence);
      if (!chosen.length) return [];
      const title = fill("open", { consequence: capital(consequence), count: chosen.length });
      const entries = chosen.map((item) => {
        const answer = list.answers[item.id];
        const entry = element("li");
        entry.append(
          element("a", { href: `#${item.id}`, textContent: item.question }),
          ` ${problem(answer)}${owner(answer)}`,
        );
        return entry;
      });
      const ul = element("ul");
      ul.append(...entries);
      return [element("p", { textContent: title, className: "fl-check-consequence" }), ul];
    });
    if (!parts.length) parts.push(element("p", { textContent: words.none }));
    find('[data-part="open"]').replaceChildren(...parts);
  }

  function element(name, properties = {}) {
    return Object.assign(document.createElement(name), properties);
  }

  function say(text) {
    find(".fl-check-live").textContent = text;
  }

  /* ---- saving is a download; leaving without it is asked about */

  const warn = (event) => event.preventDefault();

  function saved(now) {
    if (now) removeEventListener("beforeunload", warn);
    else if (!unsaved) addEventListener("beforeunload", warn);
    unsaved = !now;
  }

  function download(name, type, text) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
    say(`${name} is handed to your browser as a download.`);
  }

  const actions = {
    json() {
      download("readiness.json", "application/json", json(current()));
      saved(true);
    },
    markdown: () => download("readiness.md", "text/markdown", markdown(current())),
    print: () => print(),
    async summary(button) {
      try {
        await navigator.clipboard.writeText(summary(current()));
        say("The summary is copied.");
        button.textContent = "Copied";
      } catch {
        say("The browser keeps the clipboard closed.");
        button.textContent = "Clipboard is closed";
      }
      setTimeout(() => (button.textContent = "Copy summary"), 2000);
    },
    more: (button) => expand(button.closest("[data-item]"), button.ariaExpanded !== "true"),
  };

  function start() {
    operation = element("input", { id: "fl-check-operation", type: "text", placeholder: "Charge the card for an order" });
    const line_ = find(".fl-check-operation .fl-check-line");
    line_.replaceChildren(operation, element("span", { className: "fl-check-told", ariaHidden: "true" }));
    for (const { id } of items) {
      const within = section(id);
      for (const paper of within.querySelectorAll(".fl-check-boxes, .fl-check-lines")) paper.remove();
      within.append(answerTemplate.content.cloneNode(true));
      for (const radio of within.querySelectorAll('[type="radio"]')) radio.name = `answer-${id}`;
      find(".fl-check-more", within).id = `more-${id}`;
      find('[data-do="more"]', within).setAttribute("aria-controls", `more-${id}`);
    }
    for (const link of form.querySelectorAll(".fl-check-words a")) {
      // Answers would be lost on the way.
      Object.assign(link, { target: "_blank", rel: "noopener", title: "Opens in a new tab" });
    }
    barTemplate.replaceWith(barTemplate.content);
    openTemplate.replaceWith(openTemplate.content);
    form.classList.add("live");
    listen();
    update();
  }

  function listen() {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-do]");
      if (button) actions[button.dataset.do](button);
    });
    form.addEventListener("input", (event) => {
      if (event.target.type === "file") return;
      saved(false);
      if (event.target.type === "radio") expand(event.target.closest("[data-item]"), true);
      update(true);
    });
    find('[data-do="open"]').addEventListener("change", async (event) => {
      const [file] = event.target.files;
      if (file) await open(file);
      event.target.value = ""; // so that the same file can be opened again
    });
  }

  start();
})();
