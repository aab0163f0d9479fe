"""The script of a report's page: it steps through rows that are there already."""

SCRIPT = """
(() => {
"use strict";
const root = document.documentElement, at = (id) => document.getElementById(id);
root.classList.add("js");
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const shown = button.parentElement.querySelector("code");
    let done = true;
    try {
      await navigator.clipboard.writeText(shown.textContent);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(shown);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected: copy it";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
const told = at("told");
if (!told) return;
const { lanes, rows } = JSON.parse(told.textContent);
const items = document.querySelectorAll(".rows > li");
const pane = document.querySelector(".lanes"), sources = document.querySelector(".sources");
const stands = document.querySelectorAll(".stands > div");
const slider = at("at"), said = at("said"), jump = at("jump");
const file = pane.dataset.file ? pane.dataset.file + ":" : "";
const place = (item) => file + item.querySelector(".p").textContent;
const WORDS = { r: "ran", a: "goes on at", x: "raised in" };
const last = rows.length - 1;
let now = -1, marked = [];

const show = (box, item) => {  // scrolls a pane, and never the page
  if (!box || !item || box.scrollHeight <= box.clientHeight) return;
  const head = box === pane ? box.querySelector(".heads").offsetHeight : 0;
  const from = item.getBoundingClientRect(), frame = box.getBoundingClientRect();
  if (from.top < frame.top + head + 40) box.scrollTop -= frame.top + head + 40 - from.top;
  else if (from.bottom > frame.bottom - 40) box.scrollTop += from.bottom - frame.bottom + 40;
};
const before = (lane, row) => {  // the lane's last row up to this one
  for (let r = row; r >= 0; r--) if (rows[r][0] === lane) return r;
  return -1;
};
const mark = (source, name, sign, tone) => {
  const line = at("s" + source);
  if (!line) return;
  let place = line.querySelector(".mk");
  if (!place) {
    place = document.createElement("span");
    place.className = "mk";
    line.append(place);
  }
  const label = document.createElement("span"), glyph = document.createElement("i");
  glyph.className = tone;
  glyph.textContent = sign;
  label.append(glyph, " " + name);
  place.append(label);
  marked.push(label);
};
const go = (row) => {
  row = Math.max(0, Math.min(last, row));
  if (row === now) return;
  for (const old of marked) old.remove();
  for (const old of document.querySelectorAll(".run .now")) {
    old.classList.remove("now");
    old.removeAttribute("aria-current");
  }
  marked = [];
  now = row;
  const item = items[row], [runs, source] = rows[row];
  item.classList.add("now");
  item.setAttribute("aria-current", "step");
  const line = at("s" + source);
  if (line) line.classList.add("now");
  lanes.forEach(([name, first, end, waits], lane) => {
    const stood = before(lane, row), ended = row > end && !waits;
    const sign = stood < 0 ? null : items[stood].querySelector("i");
    let words = "not begun";
    if (lane === runs && rows[row][2]) words = "held at";
    else if (lane === runs) words = WORDS[sign.className];
    else if (ended) words = "ended after";
    else if (stood >= 0) words = rows[stood][2] ? "held at" : row > end ? "waits at" : "stands at";
    if (stood >= 0) words += " " + place(items[stood]);
    stands[lane].lastElementChild.textContent = words;
    stands[lane].classList.toggle("now", lane === runs);
    if (stood < 0 || ended) return;
    if (lane === runs) mark(rows[stood][1], name, sign.textContent, sign.className);
    else if (rows[stood][2]) mark(rows[stood][1], name, "\\u25c7", "a");
    else mark(rows[stood][1], name, "\\u25cb", "r");
  });
  slider.value = row;
  const words = item.querySelector("em");
  const told = words ? words.textContent : item.querySelector("i").getAttribute("aria-label");
  const what = `Row ${row + 1} of ${rows.length}: ${told}, ${place(item)}`;
  slider.setAttribute("aria-valuetext", what);
  said.textContent = what;
  const back = row === 0, on = row === last;
  for (const button of document.querySelectorAll("[data-go]")) {
    const off = /first|back/.test(button.dataset.go) ? back : on;
    button.setAttribute("aria-disabled", off);
  }
  show(pane, item);
  show(sources, line);
};
const moves = { first: () => 0, back: () => now - 1, next: () => now + 1, last: () => last };
for (const button of document.querySelectorAll("[data-go]")) {
  button.addEventListener("click", () => go(moves[button.dataset.go]()));
}
for (const button of document.querySelectorAll("[data-row]")) {
  button.addEventListener("click", () => go(Number(button.dataset.row)));
}
if (jump) jump.addEventListener("change", () => { if (jump.value) go(Number(jump.value)); });
slider.addEventListener("input", () => go(Number(slider.value)));
items.forEach((item, row) => item.addEventListener("click", () => {
  if (!String(getSelection())) go(row);
}));
for (const link of document.querySelectorAll(".made a")) {
  link.addEventListener("click", () => go([...items].indexOf(at(link.hash.slice(1)))));
}
const keys = { ArrowLeft: "back", ArrowRight: "next" };
const inPane = { ...keys, ArrowUp: "back", ArrowDown: "next", Home: "first", End: "last" };
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const aim = event.target;
  if (aim.closest("input, select, textarea, .wide, .sources, .where")) return;
  const move = (aim.closest(".lanes") ? inPane : keys)[event.key];
  if (!move) return;
  event.preventDefault();
  go(moves[move]());
});
document.querySelector(".controls").hidden = false;
go(last);
if (location.hash.startsWith("#d")) {
  const row = [...items].indexOf(at(location.hash.slice(1)));
  if (row >= 0) go(row);
}
})();
"""
