/* The idempotency contract's page. Every text and picture was written when the site was built, and
   each saved run carries the condition under which it holds. The script reads two numbers, compares
   them as whole milliseconds, and shows the run whose condition is met; it knows no rule of the
   model. What is chosen stays in this closure: not in the address, in no storage, in no request. */
(() => {
  "use strict";
  const script = document.currentScript;
  const lab = script.closest(".fl-contract");
  const find = (selector) => lab.querySelector(selector);
  const all = (selector) => [...lab.querySelectorAll(selector)];
  const part = (name) => find(`[data-part="${name}"]`);
  for (const template of lab.querySelectorAll("template")) template.replaceWith(template.content);

  const form = find(".fl-contract-controls");
  const radios = [...new Set(all("[type=radio]").map((input) => input.name))];
  const numbers = all(".fl-contract-number input");
  const cells = () => document.querySelectorAll(".fl-contract-map [data-combination]");
  const compare = { "<": (a, b) => a < b, ">=": (a, b) => a >= b };
  let data = null; // texts, pictures, grammar, refusals
  let runs = null; // the 64 saved runs with their conditions
  let loading = null;
  let speaking = 0;

  /* ---- what is fetched, once: before anything is chosen, and the same whatever is chosen */

  async function fetched(path) {
    const answer = await fetch(new URL(path, script.src));
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  function load() {
    loading ??= Promise.all([
      fetched("contract-pictures.json"),
      fetched("../records/idempotency/map.json"),
    ])
      .then(([shown, map]) => {
        [data, runs] = [shown, map.runs];
        lab.dataset.loaded = "ready";
        find(".fl-contract-error").hidden = true;
      })
      .catch(() => {
        loading = null; // the next choice tries again
        lab.dataset.loaded = "failed";
        find(".fl-contract-error").hidden = false;
      });
    return loading;
  }

  /* ---- numbers: read by the grammar that Python reads them by, refused in Python's words */

  function read(input) {
    const found = new RegExp(`^(?:${data.grammar})$`).exec(input.value);
    if (!found) return { refused: "unreadable" };
    const [, sign, digits = "0", behind = "", alone] = found;
    const decimals = alone ?? behind;
    if (sign && /[1-9]/.test(digits + decimals)) return { refused: "negative" };
    const above = BigInt(digits) - BigInt(data.seconds_max);
    if (above > 0n || (above === 0n && /[1-9]/.test(decimals))) return { refused: "too_large" };
    if (/[1-9]/.test(decimals.slice(3))) return { refused: "too_fine" };
    return { ms: Number(digits) * 1000 + Number(decimals.slice(0, 3).padEnd(3, "0")) };
  }

  /* At most 10^12 milliseconds: whole, and exact in a double. A thousandth of them is the double
     nearest to a decimal of at most 13 digits. Python and JavaScript both print the fewest digits
     that give a double back; up to 15 digits those are the decimal's own. Neither uses an exponent
     between 0.001 and 10^9. */
  const seconds = (ms) => ms / 1000;

  /** A text as Python's repr writes it, so that an error reads as on the command line. */
  function repr(text) {
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    const short = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", [quote]: `\\${quote}` };
    const inner = [...text].map((sign) => {
      if (short[sign]) return short[sign];
      if (sign === " " || !/[\p{C}\p{Z}]/u.test(sign)) return sign;
      const code = sign.codePointAt(0);
      const [mark, width] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
      return `\\${mark}${code.toString(16).padStart(width, "0")}`;
    });
    return quote + inner.join("") + quote;
  }

  /** Both numbers in milliseconds, or null if one is bad; says beside a field what is wrong. */
  function times() {
    const ms = {};
    for (const input of numbers) {
      const { ms: read_ms, refused } = read(input);
      const wrong = refused ? `${input.name}=${repr(input.value)}${data.refusals[refused]}` : "";
      document.getElementById(input.getAttribute("aria-describedby")).textContent = wrong;
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      ms[input.name] = refused ? null : read_ms;
    }
    return Object.values(ms).includes(null) ? null : ms;
  }

  /* ---- showing the run whose condition holds */

  const chosen = (name) => form.querySelector(`[name="${name}"]:checked`).value;
  const holds = ({ when }, ms) => compare[when.operator](ms[when.left], ms[when.right]);

  async function update(hurry) {
    await load();
    if (!data) return lag(find(".fl-contract-error").textContent, true);
    const ms = times();
    if (!ms) {
      const wrong = all(".fl-contract-wrong").map((said) => said.textContent).filter(Boolean);
      return lag(wrong.join(" "), hurry);
    }
    const { id, run } = runs.find(
      (entry) => radios.every((name) => entry.run.inputs[name] === chosen(name)) && holds(entry, ms),
    );
    const inputs = { ...run.inputs };
    for (const input of numbers) inputs[input.name] = seconds(ms[input.name]);
    show(id, { ...run, inputs });
    say(data.runs[id].said, hurry);
  }

  function show(id, run) {
    if (lab.dataset.combination !== id) part("shown").innerHTML = data.runs[id].html;
    part("json").textContent = JSON.stringify(run, null, 2);
    part("command").textContent = lab.dataset.command.replace(/\{(\w+)\}/g, (_, name) => run.inputs[name]);
    for (const input of numbers) part(input.name).textContent = run.inputs[input.name];
    lab.dataset.combination = id;
    lab.dataset.current = "yes";
    find(".fl-contract-stale").hidden = true;
    mark(run);
  }

  /** What stands below is no longer of what is chosen: it stays, and says so. */
  function lag(text, hurry) {
    lab.dataset.current = "no";
    find(".fl-contract-stale").hidden = lab.dataset.loaded === "failed";
    mark(null);
    say(text, hurry);
  }

  /** Mark the map's cell and the presets that say what is chosen. */
  function mark(run) {
    for (const cell of cells()) {
      const button = cell.querySelector("button");
      if (run && cell.dataset.combination === lab.dataset.combination) {
        button.setAttribute("aria-current", "true");
      } else button.removeAttribute("aria-current");
    }
    for (const button of all("[data-preset]")) {
      const { retention, policy } = button.dataset;
      const met =
        run?.inputs.retention_s === Number(retention) &&
        (!policy || policy === run.inputs.conflict_policy);
      button.setAttribute("aria-pressed", String(met));
    }
  }

  function say(text, hurry) {
    clearTimeout(speaking); // while somebody types, only the last result is read out
    speaking = setTimeout(() => (find(".fl-contract-live").textContent = text), hurry ? 0 : 600);
  }

  /* ---- choosing */

  const field = (name) => numbers.find((input) => input.name === name);

  function choose(name, value) {
    form.querySelector(`[name="${name}"][value="${value}"]`).checked = true;
  }

  function preset({ dataset }) {
    field("retention_s").value = dataset.retention;
    if (dataset.policy) choose("conflict_policy", dataset.policy);
    update(true);
  }

  /** Put the second request at the end of retention, or a millisecond beside it. */
  async function edge(offset) {
    await load();
    if (!data) return;
    const { ms } = read(field("retention_s"));
    if (ms !== undefined) {
      field("after_s").value = seconds(Math.min(Math.max(ms + offset, 0), data.seconds_max * 1000));
    }
    update(true);
  }

  async function combination(id) {
    await load();
    if (!runs) return update(true);
    const entry = runs.find((one) => one.id === id);
    for (const name of radios) choose(name, entry.run.inputs[name]);
    const ms = times();
    if (!ms || !holds(entry, ms)) {
      for (const input of numbers) input.value = entry.run.inputs[input.name];
    }
    update(true);
    find(".fl-contract-live").scrollIntoView({ block: "start" });
    part("shown").focus({ preventScroll: true });
  }

  function listen() {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", (event) => event.target.type === "radio" && update(true));
    for (const input of numbers) input.addEventListener("input", () => update(false));
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button?.dataset.preset) preset(button);
      else if (button) edge(Number(button.dataset.edge));
    });
  }

  function buttons() {
    for (const cell of cells()) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "cell";
      button.innerHTML = cell.querySelector(".cell").innerHTML; // the text itself stays, for print
      button.addEventListener("click", () => combination(cell.dataset.combination));
      cell.append(button);
    }
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

  function start() {
    part("shown").tabIndex = -1;
    buttons();
    all("[data-copy]").forEach(copying);
    listen();
    // The page is complete as it stands: what else is to be shown can wait until it is painted.
    const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 200));
    addEventListener("load", () => idle(() => load().then(() => {
      if (data && !lab.dataset.current) update(true);
    })));
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
