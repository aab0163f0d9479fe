/* The Failure Lab's page. It shows saved runs, written when the site was built, and knows no
   scenario by name: what a fault does is the package's affair, here one only chooses. */
(() => {
  "use strict";
  const script = document.currentScript;
  const lab = script.closest(".fl-lab");
  const template = lab.querySelector("template");
  template.replaceWith(template.content);

  const root = document.documentElement;
  if (!location.hash) root.classList.add("fl-loading");
  const first = lab.dataset.scenario;
  const part = (name) => lab.querySelector(`[data-part="${name}"]`);
  const fields = [...lab.querySelectorAll("fieldset")];
  const names = fields.map((field) => field.dataset.input);
  const radio = (name, value) =>
    fields[names.indexOf(name)].querySelector(`input[value="${CSS.escape(value)}"]`);
  const cell = (id) => document.querySelector(`.fl-map a[data-scenario="${CSS.escape(id)}"]`);

  let runs = null;
  let pictures = null;
  let loading = null;
  let current = first;

  /** The scenario that the address names, or the one that the page was built with. */
  function addressed() {
    const id = location.hash.slice(1);
    const values = id.split(".");
    const known = values.length === names.length && names.every((n, i) => radio(n, values[i]));
    return known ? id : id === "" ? first : null;
  }

  function load() {
    const fetched = (path) =>
      fetch(new URL(path, script.src)).then((answer) => {
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        return answer.json();
      });
    loading ??= Promise.all([fetched("../records/lab/map.json"), fetched("lab-pictures.json")])
      .then(([map, shown]) => {
        runs = new Map(map.runs.map((run) => [run.id, run]));
        pictures = shown;
        lab.dataset.state = "ready";
      })
      .catch(() => {
        lab.querySelector(".fl-lab-error").hidden = false;
        lab.dataset.state = "failed";
      });
    return loading;
  }

  /** Set controls, map and command; none of them needs the saved runs. */
  function choose(id) {
    current = id;
    const values = id.split(".");
    values.forEach((value, i) => (radio(names[i], value).checked = true));
    for (const marked of document.querySelectorAll(".fl-map [aria-current]")) {
      marked.removeAttribute("aria-current");
    }
    cell(id)?.setAttribute("aria-current", "true");
    part("command").textContent = names.reduce(
      (words, name, i) => words.replace(`{${name}}`, values[i]),
      lab.dataset.command,
    );
  }

  /** Choose a scenario and show its run; `aloud` unless the page has only just been opened. */
  async function select(id, aloud) {
    choose(id);
    await load();
    if (runs && current === id) show(aloud);
    if (!runs) lab.querySelector(".fl-lab-result").hidden = current !== first;
  }

  function show(aloud) {
    const run = runs.get(current);
    const shown = pictures.runs[current];
    for (const field of fields) {
      const unmet = run.never_reached.includes(field.dataset.input);
      const words = field.querySelector(".fl-never");
      field.classList.toggle("unmet", unmet);
      words.textContent = unmet ? words.dataset.words : "";
    }
    part("id").textContent = current;
    part("status").textContent = run.record.status;
    part("status").className = `fl-status s-${run.record.status}`;
    part("svg").innerHTML = shown.svg;
    part("table").innerHTML = shown.table;
    for (const [kind, sentence] of Object.entries(shown.sentences)) {
      part(kind).innerHTML = sentence;
    }
    view();
    lab.dataset.scenario = current;
    if (aloud) lab.querySelector(".fl-lab-live").textContent = shown.told[lab.dataset.view];
  }

  /** The record as the command prints it; in the worker's view without what it can't see. */
  function view() {
    const seen = (key) => lab.dataset.view === "everything" || pictures.keys[key].seen_by === "worker";
    const { record } = runs.get(current);
    const visible = Object.fromEntries(Object.entries(record).filter(([key]) => seen(key)));
    const lines = JSON.stringify(visible, null, 2).split("\n").map((line) => {
      const span = document.createElement("span");
      const key = /^ {2}"(\w+)":/.exec(line);
      if (key) span.dataset.kind = pictures.keys[key[1]].kind;
      span.textContent = line;
      return span;
    });
    part("json").replaceChildren(...lines.flatMap((line, i) => (i ? ["\n", line] : [line])));
    const svg = part("svg").querySelector("svg");
    const told = pictures.runs[current].told;
    svg.dataset.label ??= svg.getAttribute("aria-label");
    svg.setAttribute("aria-label", seen("fault_requested") ? svg.dataset.label : told.worker);
  }

  function copying(label) {
    const name = label.dataset.copy;
    const button = document.createElement("button");
    const said = document.createElement("span");
    Object.assign(button, { type: "button", className: "fl-copy", textContent: "Copy" });
    said.className = "fl-copied";
    said.setAttribute("role", "status");
    button.setAttribute("aria-label", `Copy: ${label.firstChild.textContent.trim()}`);
    button.addEventListener("click", async () => {
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(part(name).textContent);
        said.textContent = "Copied";
      } catch {
        said.textContent = "The browser keeps the clipboard closed.";
      }
    });
    label.append(button, said);
  }

  function start() {
    // With these ids the browser would jump to the map whenever the address names a scenario.
    for (const target of document.querySelectorAll(".fl-map td[id]")) target.removeAttribute("id");
    const asked = addressed() ?? first;
    const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 200));
    const far = [...document.querySelectorAll(".fl-mapfigure, .fl-file")];
    const near = () => {
      const next = far.shift();
      next?.classList.add("fl-near");
      if (next) requestAnimationFrame(() => idle(near));
    };
    addEventListener("load", () => idle(near));
    if (asked === first) {
      choose(first);
      // The page is complete as it stands: the other runs can wait until it has been painted.
      addEventListener("load", () => idle(load));
    } else {
      select(asked, false);
    }
    if (location.hash === `#${asked}`) lab.scrollIntoView();

    lab.querySelectorAll("[data-copy]").forEach(copying);
    lab.querySelector("form").addEventListener("change", () => {
      const id = names.map((name) => lab.querySelector(`[name="${name}"]:checked`).value).join(".");
      history.replaceState(null, "", `#${id}`);
      select(id, true);
    });
    lab.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => {
      const id = addressed();
      if (id) select(id, true);
    });
    lab.querySelector(".fl-lab-toggle").addEventListener("click", async (event) => {
      const worker = lab.dataset.view === "everything";
      event.target.setAttribute("aria-pressed", String(worker));
      lab.dataset.view = worker ? "worker" : "everything";
      lab.classList.toggle("fl-worker-view", worker);
      await load();
      if (runs) view();
    });
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
