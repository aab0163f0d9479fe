/* The Async Failure Lab's page. It shows saved runs, written when the site was built, and knows no
   fault by name and no rule of the model: it chooses, asks, steps, and hides what it is told to. */
(() => {
  "use strict";
  const script = document.currentScript;
  const lab = script.closest(".fl-async");
  const unpack = () => {
    for (const template of lab.querySelectorAll("template")) template.replaceWith(template.content);
  };
  unpack();

  lab.dataset.state = "asking"; // before the first paint: no count and no trace is shown yet

  const first = { fault: lab.dataset.fault, mode: lab.dataset.mode };
  const find = (selector) => lab.querySelector(selector);
  const all = (selector) => [...lab.querySelectorAll(selector)];
  const part = (name, mode) =>
    find(`${mode ? `.fl-async-column[data-mode="${mode}"] ` : ""}[data-part="${name}"]`);
  const ask = find(".fl-async-ask");
  const modes = [...new Set(all(".fl-async-column").map((column) => column.dataset.mode))];
  const faults = all('[name="fault"]').map((input) => input.value);
  const links = () => document.querySelectorAll(".fl-async-table [data-scenario]");

  const error = () => find(".fl-async-error");
  const effects = [...new Set(all("[data-count]").map((cell) => cell.dataset.count))].indexOf("effects");
  const answered = new Map(); // per fault the prediction of each runtime, kept in memory alone
  const texts = new Map(); // per scenario its saved run, as the command prints it
  let data = null;
  let loading = null;
  let { fault, mode } = first;
  let drawn = fault;
  let at = null; // the step at which both pictures stand; null shows all of it

  const scenario = () => `${fault}.${mode}`;

  /** The scenario that the address names, the first one if it names nothing, or null. */
  function addressed() {
    if (!location.hash) return first;
    const [named, side, ...more] = location.hash.slice(1).split(".");
    return faults.includes(named) && modes.includes(side) && !more.length
      ? { fault: named, mode: side }
      : null;
  }

  /* ---- what is fetched: pictures and steps once, a saved run when it is shown */

  async function fetched(path) {
    const answer = await fetch(new URL(path, script.src));
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  }

  function failed() {
    error().hidden = false;
    loading = null; // the next choice tries again
    lab.dataset.loaded = "failed";
  }

  function load() {
    loading ??= fetched("async-pictures.json")
      .then((text) => {
        data = JSON.parse(text);
        lab.dataset.loaded = "ready";
      })
      .catch(failed);
    return loading;
  }

  /* ---- choosing a fault and a runtime */

  /** Set controls, table and command; none of them needs what is fetched. */
  function mark(chosen) {
    ({ fault, mode } = chosen);
    find(`[name="fault"][value="${fault}"]`).checked = true;
    find(`[name="mode"][value="${mode}"]`).checked = true;
    for (const link of links()) {
      if (link.dataset.scenario === scenario()) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    part("command").textContent = lab.dataset.command
      .replace("{fault}", fault)
      .replace("{mode}", mode);
  }

  /** Choose a scenario and show it, or ask about it first; `aloud` unless the page only opens. */
  async function select(chosen, aloud) {
    const moved = chosen.fault !== fault;
    mark(chosen);
    if (moved) {
      at = null;
      question();
    }
    await load();
    if (chosen.fault !== fault || chosen.mode !== mode) return; // chosen anew in the meantime
    // Without data, what stands on the page is another fault's: it must not pass for this one's.
    for (const result of all(".fl-async-result")) result.hidden = !data && fault !== drawn;
    if (!data) return;
    if (fault !== drawn) draw();
    await saved();
    lab.dataset.scenario = scenario();
    if (aloud && lab.dataset.state === "told" && moved) say(summary());
  }

  function draw() {
    at = null;
    drawn = fault;
    const shown = data.faults[fault];
    for (const side of modes) {
      part("svg", side).innerHTML = shown.svg[side];
      part("table", side).innerHTML = shown.table[side];
      part("headline", side).textContent = shown.headlines[side];
    }
    stand();
  }

  async function saved() {
    const name = scenario();
    try {
      error().hidden = true;
      if (!texts.has(name)) {
        texts.set(name, (await fetched(`../records/async/${name}.json`)).replace(/\n$/, ""));
      }
    } catch {
      if (name === scenario()) part("json").textContent = "";
      return failed();
    }
    if (name === scenario()) json();
  }

  /** The saved run as the command prints it; in the worker's view without what it can't know. */
  function json() {
    const text = texts.get(scenario());
    const worker = lab.dataset.view === "worker";
    part("filtered").hidden = !worker;
    part("json").textContent = worker ? seen(JSON.parse(text)) : text;
  }

  function seen(run) {
    const kept = Object.entries(run).filter(([key]) => data.keys[key] === "worker");
    const visible = Object.fromEntries(kept);
    visible.events = visible.events.filter((event) => event.seen_by === "worker");
    return JSON.stringify(visible, null, 2);
  }

  /* ---- the prediction, before the answer */

  function question() {
    const said = answered.get(fault);
    const quiet = find('[name="quiet"]').checked;
    for (const side of modes) {
      for (const input of ask.querySelectorAll(`[name="guess-${side}"]`)) {
        input.checked = said?.[side] === input.value;
        input.disabled = Boolean(said);
      }
    }
    ask.classList.toggle("quiet", quiet && !said);
    if (said || quiet) reveal();
    else {
      lab.dataset.state = "asking";
      for (const side of modes) part("verdict", side).textContent = "";
    }
  }

  function answer(said) {
    answered.set(fault, said);
    for (const input of ask.querySelectorAll('[type="radio"]')) input.disabled = true;
    // The button that had the focus goes: the reader continues where the answer starts.
    const focused = ask.querySelector(".fl-async-buttons").contains(document.activeElement);
    reveal();
    if (focused) find('[data-step="next"]').focus({ preventScroll: true });
  }

  async function reveal() {
    lab.dataset.state = "told";
    const asked = fault;
    await load();
    if (!data || asked !== fault) return;
    const said = answered.get(fault);
    for (const side of modes) {
      part("verdict", side).textContent = said ? verdict(side) : "";
    }
    stand();
    if (said) say(summary());
  }

  const verdict = (side) => data.faults[fault].verdicts[side][answered.get(fault)?.[side] ?? ""];
  const summary = () =>
    modes.map((side) => `${side}: ${data.faults[fault].headlines[side]}. ${verdict(side)}`).join(" ");

  /* ---- stepping through both traces, in the order of time */

  const visible = (step) => lab.dataset.view === "everything" || step.seen_by === "worker";

  function go(where) {
    if (!data) return;
    const steps = data.faults[fault].steps;
    const stops = steps.map((_, i) => i).filter((i) => visible(steps[i]));
    const here = at === null ? stops.length : stops.findLastIndex((i) => i <= at);
    const next = { first: 0, back: Math.max(0, here - 1), next: here + 1, all: stops.length }[where];
    // From the end, Next starts over: the end is where the page begins.
    at = stops[next > stops.length ? 0 : next] ?? null;
    stand();
    const step = steps[at];
    say(step ? step.said : everything(stops.length));
    follow();
  }

  /** Scroll no more than it takes to see the current event below what sticks to the top. */
  function follow() {
    const event = find(".fl-async-picture .ev.now")?.getBoundingClientRect();
    if (!event) return;
    const above = find(".fl-async-bar").getBoundingClientRect().bottom + 24 - event.top;
    const below = event.bottom + 48 - innerHeight;
    if (above > 0) scrollBy(0, -above);
    else if (below > 0) scrollBy(0, below);
  }

  /** Show both pictures, counts and code as they stand at the current step. */
  function stand() {
    const { steps, total } = data.faults[fault];
    const step = at === null ? null : steps[at];
    const passed = new Set(steps.slice(0, at === null ? steps.length : at + 1).map(id));
    for (const side of modes) {
      const svg = part("svg", side).querySelector("svg");
      for (const event of svg.querySelectorAll(".ev")) {
        const name = `${side} ${event.dataset.n}`;
        event.classList.toggle("later", !passed.has(name));
        event.classList.toggle("now", Boolean(step) && name === id(step));
      }
      const height = svg.viewBox.baseVal.height;
      const top = step ? step.curtain[side] : height;
      const curtain = svg.querySelector(".curtain");
      curtain.setAttribute("y", top);
      curtain.setAttribute("height", height - top);
      svg.dataset.label ??= svg.getAttribute("aria-label");
      const worker = lab.dataset.view === "worker";
      svg.setAttribute("aria-label", worker ? svg.dataset.workerLabel : svg.dataset.label);
      const counts = step ? step.counts[side] : total[side];
      all(`.fl-async-column[data-mode="${side}"] [data-count]`).forEach((cell, i) => {
        cell.textContent = counts[i];
      });
      part("headline", side).classList.toggle("later", Boolean(step));
      for (const line of all(`.fl-async-column[data-mode="${side}"] .fl-line`)) {
        const number = Number(line.dataset.line);
        line.classList.toggle("now", step?.mode === side && step.line === number);
        line.classList.toggle("waits", Boolean(step) && step.waits[side] === number);
      }
    }
    const count = steps.filter(visible).length;
    const number = step ? steps.slice(0, at + 1).filter(visible).length : 0;
    part("told").textContent = step ? `${number} of ${count}: ${step.said}` : everything(count);
    part("tally").textContent = `Debited so far: ${modes
      .map((side) => `${side} ${(step ? step.counts : total)[side][effects]}`)
      .join(", ")}.`;
    lab.dataset.step = step ? String(number) : "all";
    for (const column of all(".fl-async-runs > .fl-async-column")) {
      column.classList.toggle("current", column.dataset.mode === step?.mode);
    }
  }

  const everything = (count) =>
    `All ${count} events${lab.dataset.view === "worker" ? " that a running worker can know" : ""}.`;
  const id = (step) => `${step.mode} ${step.n}`;

  function say(text) {
    find(".fl-async-live").textContent = text;
  }

  /* ---- the worker's view */

  async function view() {
    const worker = lab.dataset.view === "everything";
    find('[data-do="view"]').setAttribute("aria-pressed", String(worker));
    lab.dataset.view = worker ? "worker" : "everything";
    lab.classList.toggle("fl-worker-view", worker);
    await load();
    if (!data) return;
    if (at !== null && !visible(data.faults[fault].steps[at])) go("back");
    stand();
    if (texts.has(scenario())) json();
  }

  function copying(label) {
    const button = document.createElement("button");
    const said = document.createElement("span");
    Object.assign(button, { type: "button", className: "fl-copy", textContent: "Copy" });
    said.className = "fl-copied";
    said.setAttribute("role", "status");
    button.setAttribute("aria-label", `Copy: ${label.firstChild.textContent.trim()}`);
    button.addEventListener("click", async () => {
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(part(label.dataset.copy).textContent);
        said.textContent = "Copied";
      } catch {
        said.textContent = "The browser keeps the clipboard closed.";
      }
    });
    label.append(button, said);
  }

  function listen() {
    const form = (name) => find(`.fl-async-${name}`);
    const chosen = (name) => find(`[name="${name}"]:checked`)?.value ?? null;
    for (const name of ["choose", "mode"]) {
      form(name).addEventListener("submit", (event) => event.preventDefault());
      form(name).addEventListener("change", () => {
        const wanted = { fault: chosen("fault"), mode: chosen("mode") };
        history.replaceState(null, "", `#${wanted.fault}.${wanted.mode}`);
        select(wanted, true);
      });
    }
    ask.addEventListener("submit", (event) => {
      event.preventDefault();
      answer(Object.fromEntries(modes.map((side) => [side, chosen(`guess-${side}`)])));
    });
    find('[data-do="skip"]').addEventListener("click", () => answer({}));
    find('[data-do="view"]').addEventListener("click", view);
    const keys = {
      ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back",
      Home: "first", End: "all",
    };
    const stepper = form("stepper");
    stepper.addEventListener("click", (event) => {
      const where = event.target.closest("[data-step]")?.dataset.step;
      if (where) load().then(() => go(where));
    });
    stepper.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      load().then(() => go(keys[event.key]));
    });
    addEventListener("hashchange", () => {
      const wanted = addressed();
      if (wanted) select(wanted, true);
    });
    for (const link of links()) {
      link.addEventListener("click", () => {
        lab.scrollIntoView();
        lab.focus({ preventScroll: true });
      });
    }
  }

  /** The stepper sticks below the code, however high that is. */
  function sticking() {
    const codes = find(".fl-async-codes");
    new ResizeObserver(() => {
      lab.style.setProperty("--fl-codes", `${codes.offsetHeight}px`);
    }).observe(codes);
  }

  function start() {
    unpack();
    sticking();
    // With these ids the browser would jump to the table whenever the address names a scenario.
    for (const row of document.querySelectorAll(".fl-async-table tr[id]")) row.removeAttribute("id");
    all("[data-copy]").forEach(copying);
    listen();
    const wanted = addressed();
    if (wanted && location.hash) lab.scrollIntoView();
    if (wanted && wanted.fault !== first.fault) {
      select(wanted, false);
    } else {
      // The page is complete as it stands: the other runs can wait until it has been painted.
      const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 200));
      addEventListener("load", () => idle(() => fault === first.fault && select({ fault, mode }, false)));
      mark(wanted ?? first);
    }
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
