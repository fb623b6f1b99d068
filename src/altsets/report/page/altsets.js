/*
 * altsets.js draws a document of altsets (sections of text, facts, tables, code and charts) in <altsets-page>.
 *
 * The document is the JSON in a child script of the element, or what is assigned to its property `document`, as often as
 * you like. Its other children are what is to be seen where this module does not run; they give way to what is drawn.
 * With the attribute `embedded` (a notebook, a part of another page) there are no landmarks and no table of contents.
 *
 * The rules: no package, no request, no markup from data (text nodes only), no style attribute in markup, so that it
 * works from file:// under a strict content-security policy. What does not fit is paged; what is odd is said in words.
 */

const SCHEMA = 1;
const ROWS_A_PAGE = 25;
const SERIES_A_PAGE = 8;
/** Rows of a table on paper: more than that belongs into its file. */
const ROWS_ON_PAPER = 200;
/** With fewer sections than that, nobody needs a table of contents. */
const SECTIONS_WITH_CONTENTS = 4;
/** Letters beyond which a text is cut until somebody asks for all of it: a name or a word, a cell, a fact. */
const LONGEST_NAME = 48;
const LONGEST_CELL = 280;
const LONGEST_FACT = 1000;
/** Letters of a text that is not broken into lines. */
const SHORT_TEXT = 24;
/** Names in one cell that are shown at once. */
const NAMES_IN_CELL = 16;

const SANS = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';
const SERIF = 'Charter, "Bitstream Charter", "Iowan Old Style", Palatino, Cambria, Georgia, "Liberation Serif", serif';
const MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace';

// --- Values as text --------------------------------------------------------------------------------------------------

const list = (value) => (Array.isArray(value) ? value : []);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const textOf = (value) => (value === null || value === undefined ? "" : String(value));
const count = (number) => number.toLocaleString("en-US");
const labelOf = (value) => (textOf(value).trim() ? textOf(value) : "(blank)");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** Stands for what is not known. */
const UNKNOWN = "–";
const typographic = (number) => number.replaceAll("-", "−");
const wholeText = (value) => typographic(Math.abs(value) < 1e4 ? String(Math.round(value)) : count(Math.round(value)));

/** So many significant digits, all of them; or, where nobody says how many, those that are needed. */
function numberText(value, digits) {
  if (!isNumber(value)) return UNKNOWN;
  const size = Math.abs(value);
  const precision = clamp(Math.round(digits ?? 4) || 4, 1, 15);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) {
    return typographic(value.toExponential(precision - 1).replace("e+", "e"));
  }
  const text = value.toPrecision(precision);
  const free = digits === undefined || digits === null;
  // Where digits end before the point, the number is shown to the point.
  if (value === 0 || text.includes("e") || (free && Number.isInteger(value))) return wholeText(value);
  return typographic(free ? String(Number(text)) : text);
}

const EXPONENT = /e/;
/** How many decimals of a number are not just zeros at its end. */
const decimalsOf = (text) => (EXPONENT.test(text) ? "" : text.split(".")[1] ?? "").replace(/0+$/, "").length;

/** How to write numbers that stand together: with as many decimals as one of them needs. */
function formatOf(values, digits) {
  const whole = values.every((value) => !isNumber(value) || Number.isInteger(value));
  if (whole) return (value) => numberText(value, null);
  const needed = Math.max(0, ...values.filter(isNumber).map((value) => decimalsOf(numberText(value, digits))));
  return (value) => {
    const text = numberText(value, digits);
    const [before, decimals] = text.split(".");
    if (EXPONENT.test(text) || decimals === undefined) return text;
    return needed ? `${before}.${decimals.slice(0, needed)}` : before;
  };
}

/** A text of at most so many letters: its beginning and its end, because names often differ at the end only. */
function cut(text, letters) {
  if (text.length <= letters) return text;
  const tail = Math.floor((letters - 1) / 3);
  // Half of a surrogate pair is no letter.
  const begin = text.slice(0, letters - 1 - tail).replace(/[\uD800-\uDBFF]$/, "");
  return `${begin}…${tail ? text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, "") : ""}`;
}

/** Running text without what would turn around all that comes after a name; the name's own cell has it as it is. */
function tamed(value) {
  const text = textOf(value).replace(/[\u202A-\u202E]/g, "");
  const even = text.split(/[\u2066-\u2068]/).length === text.split("\u2069").length;
  return even ? text : text.replace(/[\u2066-\u2069]/g, "");
}

/** A table as CSV. Text that a spreadsheet would take for a formula gets a quote before it. */
function csvOf(columns, rows) {
  const field = (value) => {
    if (typeof value === "number") return String(value);
    let text = Array.isArray(value) ? value.join("; ") : textOf(value);
    if (/^\s*[=+\-@]|^[\t\r]/.test(text)) text = `'${text}`;
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map((column) => column.name), ...rows].map((row) => row.map(field).join(","));
  const csv = `${lines.join("\n")}\n`;
  // Excel takes a file without a mark for one in an old encoding; others do without, so it is there only if needed.
  return /[^\x00-\x7f]/.test(csv) ? `\ufeff${csv}` : csv;
}

// --- Elements --------------------------------------------------------------------------------------------------------

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** An element; strings among the children become text nodes, never markup. */
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function button(label, action, attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", action);
  return made;
}

/** A name from data: kept apart from its surroundings whatever its direction, cut if long, whole on request. */
function nameOf(value, letters = LONGEST_NAME) {
  const text = textOf(value);
  if (!text.trim()) return el("span", { class: "muted" }, labelOf(text));
  if (text.length <= letters) return el("bdi", {}, text);
  const label = el("summary", { title: "Show all of it" }, el("bdi", {}, cut(text, letters)));
  return el("details", { class: "long" }, label, el("bdi", { class: "whole" }, text));
}

const LONG_WORD = new RegExp(`\\S{${LONGEST_NAME + 1},}`);

/** Running text; words that no line can hold are cut like names, and options of commands stay in one piece. */
function prose(parent, value) {
  const pieces = tamed(value).split(new RegExp(`(${LONG_WORD.source}|--[a-z][a-z-]*)`));
  const whole = (piece) => (piece.startsWith("--") ? el("span", { class: "option" }, piece) : nameOf(piece));
  parent.append(...pieces.map((piece, place) => (place % 2 ? whole(piece) : piece)));
  return parent;
}

const retell = (element, text) => (element.replaceChildren(), prose(element, text));

function heading(level, text, attributes = {}) {
  return prose(el(`h${clamp(level, 1, 6)}`, attributes), text);
}

function message(text) {
  return el("p", { class: "message", role: "note" }, text);
}

function download(name, content, type = "text/csv;charset=utf-8") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// --- Pages of rows ---------------------------------------------------------------------------------------------------

/** Which part of many things is shown, with the buttons to change that. */
class Pager {
  constructor(what, changed) {
    Object.assign(this, { what, changed, page: 0, size: ROWS_A_PAGE, total: 0 });
    this.status = el("span", { class: "range", "aria-live": "polite" });
    const step = (label, sign, target) =>
      button(sign, () => this.go(target()), { "aria-label": `${label} ${what}` });
    this.back = [step("First", "«", () => 0), step("Previous", "‹", () => this.page - 1)];
    this.on = [step("Next", "›", () => this.page + 1), step("Last", "»", () => this.last)];
    this.element = el("div", { class: "pager", role: "group", "aria-label": `Pages of ${what}` });
    this.element.append(...this.back, this.status, ...this.on);
  }

  get last() {
    return Math.max(0, Math.ceil(this.total / this.size) - 1);
  }

  get from() {
    return this.page * this.size;
  }

  get to() {
    return Math.min(this.total, this.from + this.size);
  }

  go(page) {
    if (page < 0 || page > this.last || page === this.page) return;
    this.page = page;
    this.changed();
  }

  update(total, size) {
    this.total = total;
    this.size = size;
    this.page = clamp(this.page, 0, this.last);
    this.element.hidden = this.last === 0;
    this.status.textContent = `${count(this.from + 1)}–${count(this.to)} of ${count(total)} ${this.what}`;
    // Not `disabled`: that would take the focus away from those who page with the keyboard.
    for (const made of this.back) made.setAttribute("aria-disabled", String(this.page === 0));
    for (const made of this.on) made.setAttribute("aria-disabled", String(this.page === this.last));
  }
}

// --- Tables ----------------------------------------------------------------------------------------------------------

const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** What is compared when rows are sorted. */
function compared(value) {
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "number" || value === null || value === undefined ? value : String(value);
}

function compareCells(a, b, descending) {
  const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
  // What is not known comes last either way.
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  const both = typeof a === "number" && typeof b === "number";
  const order = both ? (a < b ? -1 : Number(a > b)) : COLLATOR.compare(String(a), String(b));
  return descending ? -order : order;
}

function namesOf(names) {
  const tag = (name) => el("li", {}, nameOf(name));
  const items = el("ul", { class: "names" }, ...names.slice(0, NAMES_IN_CELL).map(tag));
  if (names.length > NAMES_IN_CELL) {
    const rest = names.slice(NAMES_IN_CELL);
    const label = `and ${count(rest.length)} more`;
    const more = button(label, () => {
      items.lastChild.remove();
      items.append(...rest.map(tag));
    });
    items.append(el("li", { class: "more" }, more, el("span", { class: "on-paper" }, label)));
  }
  return items;
}

/** A table that can be sorted, searched, paged and taken along as CSV. */
class Table {
  constructor(page, block, label) {
    this.page = page;
    this.read(block);
    this.size = Number.isInteger(block.page_size) && block.page_size > 0 ? block.page_size : ROWS_A_PAGE;
    this.file = textOf(block.file) || "table.csv";
    this.label = label;
    this.query = "";
    this.printing = false;
    this.pager = new Pager("rows", () => this.draw());
    this.build(block);
    const sort = block.sort;
    const sorted = Number.isInteger(sort?.column) && sort.column >= 0 && sort.column < this.columns.length;
    this.sort(sorted ? sort.column : null, Boolean(sort?.descending));
    page.onPrint((printing) => {
      this.printing = printing;
      this.draw();
    });
  }

  read(block) {
    this.columns = list(block.columns).map((column) => ({ kind: "text", ...column, name: textOf(column?.name) }));
    this.rows = list(block.rows).map(list);
    this.formats = this.columns.map((column, c) => formatOf(this.rows.map((row) => row[c]), column.digits));
    this.heads = this.columns.map((column, c) => this.head(column, c));
  }

  /** Other columns and rows in the same place. */
  update(block) {
    this.read(block);
    this.body.previousSibling.firstChild.replaceChildren(...this.heads);
    this.sort(this.by < this.columns.length ? this.by : null, this.descending);
  }

  build(block) {
    this.body = el("tbody");
    const named = this.label.id ? { "aria-labelledby": this.label.id } : { "aria-label": this.label.text };
    // On a phone lists get a line of their own, so that nothing is cut off.
    const stacks = this.columns.some((column) => column.kind === "names");
    const table = el("table", { ...named, class: stacks ? "stacks" : null }, el("thead", {}, el("tr", {}, ...this.heads)), this.body);
    const scroller = el("div", { class: "scroller" }, table);
    this.paper = el("p", { class: "on-paper muted" });
    const kind = this.isSlim() ? `table slim-${clamp(this.columns.length, 2, 4)}` : "table";
    this.element = el("div", { class: kind }, this.tools(), scroller, this.paper, this.pager.element, this.legend());
    // Only what scrolls is a stop for the keyboard.
    const stop = { tabindex: 0, role: "group", "aria-label": `${cut(this.label.text, 80)}, scrolls sideways` };
    this.page.watch(scroller, () => {
      const scrolls = scroller.scrollWidth > scroller.clientWidth + 1;
      if (scrolls) fill(scroller, stop, []);
      else Object.keys(stop).forEach((name) => scroller.removeAttribute(name));
    });
  }

  /** Whether its columns would be far apart on a whole line; the same on all of its pages. */
  isSlim() {
    const brief = (value) => !Array.isArray(value) && textOf(value).length <= SHORT_TEXT;
    return this.columns.length <= 4 && this.rows.every((row) => row.every(brief));
  }

  head(column, c) {
    const numeric = column.kind === "number";
    const name = cut(labelOf(column.name), LONGEST_NAME);
    // The first look at numbers is at the largest ones.
    const press = button(el("bdi", {}, name), () => this.sort(c, this.by === c ? !this.descending : numeric));
    press.append(el("span", { class: "sign", "aria-hidden": "true" }));
    // Browsers do not print buttons in the heads of later pages.
    const printed = el("bdi", { class: "on-paper" }, name);
    const kind = { number: "number", names: "list" }[column.kind];
    return el("th", { scope: "col", class: kind }, press, printed);
  }

  tools() {
    const tools = el("div", { class: "tools" });
    if (this.rows.length > this.size) {
      const label = `Search in ${cut(this.label.text, 80)}`;
      const search = el("input", { type: "search", placeholder: "Search", "aria-label": label });
      search.addEventListener("input", () => {
        this.query = search.value.trim().toLowerCase();
        this.pager.page = 0;
        this.draw();
      });
      tools.append(search);
    }
    if (this.rows.length) {
      const save = () => download(this.file, csvOf(this.columns, this.order.map((r) => this.rows[r])));
      const title = `${plural(this.rows.length, "row")} in ${cut(this.file, 80)}`;
      tools.append(button("Download CSV", save, { title }));
    }
    return tools;
  }

  /** What columns mean, below the table: a tip that needs a mouse is lost on paper and on phones. */
  legend() {
    const explained = this.columns.filter((column) => column.help);
    if (!explained.length) return null;
    const item = (column) => el("div", {}, el("dt", {}, nameOf(column.name)), prose(el("dd"), column.help));
    return el("dl", { class: "legend" }, ...explained.map(item));
  }

  sort(column, descending) {
    this.by = column;
    this.descending = descending;
    this.order = this.rows.map((_, r) => r);
    if (column !== null) {
      const keys = this.rows.map((row) => compared(row[column]));
      this.order.sort((a, b) => compareCells(keys[a], keys[b], descending) || a - b);
    }
    this.heads.forEach((head, c) => {
      const sign = head.querySelector(".sign");
      sign.textContent = c === column ? (descending ? "▼" : "▲") : "";
      if (c === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.pager.page = 0;
    this.draw();
  }

  matches(row) {
    const texts = row.flatMap((value, c) => (typeof value === "number" ? [value, this.formats[c]?.(value)] : value));
    return texts.some((text) => textOf(text).toLowerCase().includes(this.query));
  }

  draw() {
    const rows = this.query ? this.order.filter((r) => this.matches(this.rows[r])) : this.order;
    this.pager.update(rows.length, this.size);
    const shown = this.printing ? rows.slice(0, ROWS_ON_PAPER) : rows.slice(this.pager.from, this.pager.to);
    const more = rows.length > ROWS_ON_PAPER;
    this.paper.textContent = more ? `The first ${ROWS_ON_PAPER} of ${plural(rows.length, "row")}.` : "";
    const cells = (r) => this.columns.map((column, c) => this.cell(this.rows[r][c], column, c));
    this.body.replaceChildren(...shown.map((r) => el("tr", {}, ...cells(r))));
    if (!shown.length) this.body.append(this.nothing());
  }

  nothing() {
    const text = this.query ? "No row matches." : "There is nothing to show.";
    return el("tr", {}, el("td", { class: "muted", colspan: Math.max(1, this.columns.length) }, text));
  }

  cell(value, column, c) {
    const numeric = column.kind === "number";
    let [kind, content] = [numeric ? "number" : null, UNKNOWN];
    if (Array.isArray(value)) [kind, content] = ["list", namesOf(value)];
    else if (typeof value === "number") [kind, content] = ["number", this.formats[c](value)];
    else if (value !== null && value !== undefined) {
      content = nameOf(value, LONG_WORD.test(value) ? LONGEST_NAME : LONGEST_CELL);
      if (!numeric && String(value).length <= SHORT_TEXT) kind = "brief";
    }
    // The first column says what a row is about.
    return c === 0 ? el("th", { scope: "row", class: kind }, content) : el("td", { class: kind }, content);
  }
}

// --- What charts have in common --------------------------------------------------------------------------------------

const ROW = 24;
const SMALL = 11;
const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, size = 12) {
  if (!ruler) return text.length * size * 0.55;
  ruler.font = `${size}px ${SANS}`;
  return ruler.measureText(text).width;
}

const widest = (texts, size) =>
  texts.reduce((most, text) => Math.max(most, widthOf(cut(textOf(text), 100), size)), 0);

/** As much of a text as there is room for. */
function fitted(text, room, size = 12) {
  const line = text.replace(/\s+/g, " ");
  let letters = Math.min(100, line.length);
  let width = widthOf(cut(line, letters), size);
  while (letters > 2 && width > room) {
    letters = clamp(Math.floor((letters * room) / width), 2, letters - 1);
    width = widthOf(cut(line, letters), size);
  }
  return cut(line, letters);
}

/** Where a value lies in a range; halves keep the largest numbers finite. */
const shareOf = (value, low, high) => (value / 2 - low / 2) / (high / 2 - low / 2);

/** From values to pixels, with round numbers along the way. */
class Scale {
  /** Limits are where the axis begins and ends, unless a value lies beyond. */
  constructor(values, from, to, { zero = false, padding = 0, limits = [] } = {}) {
    const known = values.filter(isNumber);
    known.push(...list(limits).filter(isNumber));
    if (zero || !known.length) known.push(0);
    let low = known.reduce((a, b) => Math.min(a, b));
    let high = known.reduce((a, b) => Math.max(a, b));
    // A range without extent is given one.
    const extent = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * padding;
    if (!zero && Number.isFinite(low - extent) && Number.isFinite(high + extent)) {
      const [first, last] = list(limits);
      low -= low === first ? 0 : extent;
      high += high === last ? 0 : extent;
    }
    Object.assign(this, { low, high: low === high ? low + 1 : high, from, to });
  }

  at(value) {
    return this.from + shareOf(value, this.low, this.high) * (this.to - this.from);
  }

  /** About so many ticks, as [position, text] with the decimals that tell them apart, and the number itself. */
  ticks(about, whole = false) {
    const span = this.high - this.low;
    const power = 10 ** Math.floor(Math.log10(span / about));
    const steps = [1, 2, 2.5, 5, 10].map((times) => times * power).filter((step) => !whole || Number.isInteger(step));
    const step = steps.find((size) => size >= (span / about) * 0.999) ?? 1;
    const first = Math.ceil(this.low / step - 1e-9);
    const length = clamp(Math.floor(this.high / step + 1e-9) - first + 1, 0, 50);
    const found = Array.from({ length }, (_, place) => Number(((first + place) * step).toPrecision(12)));
    // Beyond all steps: numbers whose distance is no number any more.
    const ticks = Number.isFinite(span) && length ? found : [this.low];
    const texts = tickTexts(ticks);
    return ticks.map((tick, place) => [this.at(tick), texts[place], tick]);
  }
}

function tickTexts(ticks) {
  const size = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return ticks.map((tick) => (tick ? numberText(tick, 3) : "0"));
  const decimals = Math.max(...ticks.map((tick) => (String(tick).split(".")[1] ?? "").length));
  return ticks.map((tick) => (decimals ? typographic(tick.toFixed(Math.min(decimals, 6))) : numberText(tick)));
}

/** Marks of series: no two of the first eight have the same shape, whatever their colour. */
const SHAPES = [
  "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0",
  "M-.9,-.9h1.8v1.8h-1.8z",
  "M0,-1.2l1.2,2.1h-2.4z",
  "M0,-1.35l1.35,1.35l-1.35,1.35l-1.35,-1.35z",
  "M0,1.2l1.2,-2.1h-2.4z",
  "M-.42,-1.25h.84v.83h.83v.84h-.83v.83h-.84v-.83h-.83v-.84h.83z",
  "M-1.2,0l.6,-1.04h1.2l.6,1.04l-.6,1.04h-1.2z",
  "M-.55,-1.3h1.1v2.6h-1.1z",
];

function shape(place, x, y, radius, kind) {
  const transform = `translate(${x.toFixed(1)},${y.toFixed(1)}) scale(${radius})`;
  return svg("path", { d: SHAPES[place % SHAPES.length], transform, class: kind });
}

const symbol = (...marks) =>
  svg("svg", { width: 18, height: 14, viewBox: "0 0 18 14", "aria-hidden": "true" }, ...marks);

/** An SVG in the making, and what of it can be asked for its numbers. */
class Drawing {
  constructor(width) {
    this.width = width;
    this.svg = svg("svg", { width, "aria-hidden": "true" });
    /** Boxes with a text each, in reading order; `stride` of them make a row. */
    this.targets = [];
    this.stride = 1;
    /** What marks mean, as [symbol, text]. */
    this.keys = [];
  }

  add(...nodes) {
    this.svg.append(...nodes);
  }

  line(x1, y1, x2, y2, kind) {
    this.add(svg("line", { x1, y1, x2, y2, class: kind }));
  }

  rect(x, y, width, height, attributes) {
    const made = svg("rect", { x, y, width: Math.max(0, width), height, ...attributes });
    this.add(made);
    return made;
  }

  circle(cx, cy, r, kind) {
    this.add(svg("circle", { cx, cy, r, class: kind }));
  }

  /** A text of which as much is shown as fits; the rest is in its title. */
  text(x, y, value, { room = 1e4, anchor = "start", kind = null, size = 12, turn = 0 } = {}) {
    const whole = textOf(value);
    const shown = fitted(whole, room, size);
    const transform = turn ? `rotate(${turn} ${x} ${y})` : null;
    const made = svg("text", { x, y, "text-anchor": anchor, class: kind, "font-size": size, transform }, shown);
    if (shown !== whole) made.append(svg("title", {}, cut(whole, 400)));
    this.add(made);
  }

  /** Names of axes and columns, and numbers along axes. */
  small(x, y, value, options = {}) {
    this.text(x, y, value, { kind: "soft", size: SMALL, ...options });
  }

  target(x, y, width, height, text, item) {
    this.targets.push({ x, y, width, height, text, item });
  }

  /** Stripes for what colour alone must not say. */
  hatch(id, kind) {
    const square = { width: 5, height: 5 };
    const pattern = { id, ...square, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
    const ground = svg("rect", { ...square, class: "hatch-ground" });
    const stripe = svg("rect", { ...square, width: 2, class: kind });
    this.add(svg("defs", {}, svg("pattern", pattern, ground, stripe)));
    return `url(#${id})`;
  }

  finish(height) {
    fill(this.svg, { height: Math.ceil(height), viewBox: `0 0 ${this.width} ${Math.ceil(height)}` }, []);
    return this;
  }

  /** A scale from left to right, with numbers below. */
  axis(scale, top, bottom) {
    for (const [x, text, tick] of scale.ticks(clamp((scale.to - scale.from) / 60, 2, 6))) {
      this.line(x, top, x, bottom, tick === 0 ? "rule" : "grid");
      // Long numbers at either end stay inside the drawing.
      const half = widthOf(text, SMALL) / 2;
      this.small(clamp(x, half, this.width - half), bottom + 15, text, { anchor: "middle" });
    }
  }

  /** A bar from zero; hatched where it must not be taken at its face value. */
  bar(scale, value, y, hatch) {
    const zero = scale.at(0);
    if (!isNumber(value)) {
      this.text(zero + 3, y + 16, UNKNOWN, { kind: "soft" });
      return;
    }
    const x = scale.at(value);
    const attributes = hatch ? { class: "outlined", fill: hatch } : { class: "bar" };
    this.rect(Math.min(zero, x), y + 6, Math.max(1, Math.abs(x - zero)), ROW - 12, attributes);
  }
}

/** Values that are drawn across a chart, such as a baseline. */
class Across {
  constructor(lines) {
    this.lines = list(lines).filter((line) => isNumber(line?.value));
    this.values = this.lines.map((line) => line.value);
  }

  /** From top to bottom, each label in a row of its own above the chart. */
  drawDown(drawing, scale, top, bottom, format) {
    this.lines.forEach((line, place) => {
      const x = scale.at(line.value);
      const y = top - 8 - 16 * (this.lines.length - 1 - place);
      drawing.line(x, y - 8, x, bottom, `across dash${place % 3}`);
      const [side, anchor, room] = x < drawing.width / 2 ? [5, "start", drawing.width - x] : [-5, "end", x];
      drawing.small(x + side, y, `${textOf(line.label)} ${format(line.value)}`, { anchor, room: room - 8 });
    });
  }

  /** From left to right; labels of lines that are close together move apart. */
  drawAlong(drawing, scale, left, right) {
    const taken = [];
    this.lines.forEach((line, place) => {
      const y = scale.at(line.value);
      drawing.line(left, y, right, y, `across dash${place % 3}`);
      let at = y - 5;
      while (taken.some((other) => Math.abs(other - at) < 13)) at += 13;
      taken.push(at);
      const label = `${textOf(line.label)} ${tickTexts([line.value])[0]}`;
      drawing.small(right - 2, at, label, { anchor: "end", room: right - left, kind: "soft halo" });
    });
  }
}

/** Labels above columns: level where they fit, else turned, which takes height above and room to the right. */
class Heads {
  constructor(labels, room, narrowest, broadest) {
    this.labels = labels;
    this.longest = Math.min(150, room * 0.4);
    const long = Math.min(this.longest, widest(labels, SMALL));
    const last = Math.min(this.longest, widest(labels.slice(-1), SMALL));
    const across = (over) => clamp((room - over) / Math.max(1, labels.length), narrowest, broadest);
    this.turned = long > across(0) - 4;
    const over = (width) => (this.turned ? Math.max(0, last * 0.7 + 10 - width / 2) : 0);
    this.width = across(over(across(0)));
    this.height = this.turned ? long * 0.72 + 16 : 18;
    this.total = this.width * labels.length + over(this.width);
  }

  draw(drawing, left, bottom) {
    const how = this.turned ? { turn: -46, room: this.longest } : { anchor: "middle" };
    this.labels.forEach((label, place) => {
      drawing.small(left + (place + 0.5) * this.width + (this.turned ? 3 : 0), bottom - 6, label, how);
    });
  }
}

// --- The charts ------------------------------------------------------------------------------------------------------
// Each takes its numbers from a block, says what is paged (rows, perhaps columns), what it is as a table, and draws the
// part that a frame shows. What is missing in a block counts as not known.

/** Features, their scores, and the sets that have them. */
class Membership {
  constructor(block) {
    this.features = list(block.features).map(labelOf);
    this.scores = this.features.map((_, f) => list(block.scores)[f] ?? null);
    this.quiet = this.features.map((_, f) => Boolean(list(block.marks)[f]));
    this.members = this.features.map((_, f) => list(list(block.members)[f]));
    this.items = list(block.items);
    this.sets = list(block.sets).map(textOf);
    this.scoreName = textOf(block.score_name) || "score";
    this.scored = this.scores.some(isNumber);
    this.format = formatOf(this.scores);
    this.rows = { total: this.features.length, size: ROWS_A_PAGE, what: "features" };
  }

  columns(width) {
    return { total: this.sets.length, size: clamp(Math.floor((width * 0.38) / 15), 4, 25), what: "sets" };
  }

  inside(f) {
    return this.sets.filter((_, s) => this.members[f][s]);
  }

  table() {
    const noisy = this.quiet.some(Boolean);
    const columns = [
      { name: "Feature", kind: "text" },
      { name: this.scoreName, kind: "number", digits: 4 },
      { name: "Sets", kind: "names" },
      { name: "Above noise", kind: "text" },
    ];
    const above = (f) => (this.quiet[f] ? "no" : "yes");
    const rows = this.features.map((feature, f) => [feature, this.scores[f], this.inside(f), above(f)]);
    const shown = noisy ? 4 : 3;
    return { columns: columns.slice(0, shown), rows: rows.map((row) => row.slice(0, shown)) };
  }

  draw({ width, rows, columns, id }) {
    const drawing = new Drawing(width);
    const features = this.features.slice(rows.from, rows.to);
    const heads = new Heads(this.sets.slice(columns.from, columns.to), width * 0.38, 14, width < 500 ? 32 : 44);
    const labels = Math.min(widest(features) + 22, width * (this.scored ? 0.36 : 0.55));
    const [top, bottom, left] = [heads.height, heads.height + features.length * ROW, width - heads.total];
    // All pages have the same scale, so that bars can be compared from page to page.
    const scale = new Scale(this.scores, labels + 6, left - 14, { zero: true });
    const hatch = drawing.hatch(id("hatch"), "stripe");
    heads.draw(drawing, left, top);
    for (let f = 0; f < features.length; f += 2) drawing.rect(0, top + f * ROW, width, ROW, { class: "band" });
    if (this.scored) drawing.axis(scale, top, bottom);
    features.forEach((feature, place) => {
      const [f, y] = [rows.from + place, top + place * ROW];
      const name = this.quiet[f] ? `${feature} *` : feature;
      drawing.text(4, y + 16, name, { room: labels - 8, kind: this.quiet[f] ? "soft" : null });
      if (this.scored) drawing.bar(scale, this.scores[f], y, this.quiet[f] ? hatch : null);
      this.drawDots(drawing, this.members[f].slice(columns.from), heads, left, y + ROW / 2);
      drawing.target(0, y, width, ROW, this.sentence(f), this.items[f]);
    });
    drawing.line(0, bottom, width, bottom, "rule");
    this.explain(drawing, hatch);
    return drawing.finish(bottom + (this.scored ? 22 : 4));
  }

  drawDots(drawing, members, heads, left, y) {
    const radius = Math.min(6.5, heads.width / 2 - 1.5);
    heads.labels.forEach((_, s) => {
      const [r, kind] = members[s] ? [radius, "member"] : [1.6, "absent"];
      drawing.circle(left + (s + 0.5) * heads.width, y, r, kind);
    });
  }

  sentence(f) {
    const score = this.scored ? `${this.scoreName} ${this.format(this.scores[f])}; ` : "";
    const inside = this.inside(f);
    const where = inside.length ? `in ${cut(inside.join(", "), 120)}` : "in no set";
    return `${cut(this.features[f], 120)}: ${score}${where}${this.quiet[f] ? "; not above noise" : ""}`;
  }

  explain(drawing, hatch) {
    const box = { x: 1, y: 2, width: 16, height: 10 };
    const dot = { cx: 9, cy: 7 };
    if (this.scored) drawing.keys.push([symbol(svg("rect", { ...box, class: "bar" })), this.scoreName]);
    drawing.keys.push([symbol(svg("circle", { ...dot, r: 5.5, class: "member" })), "in the set"]);
    drawing.keys.push([symbol(svg("circle", { ...dot, r: 1.6, class: "absent" })), "not in it"]);
    if (this.scored && this.quiet.some(Boolean)) {
      drawing.keys.push([symbol(svg("rect", { ...box, fill: hatch, class: "outlined" })), "* not above noise"]);
    }
  }
}

/** One value for each label: bars from zero, or dots with intervals where there are any. */
class Bars {
  constructor(block) {
    this.labels = list(block.labels).map(labelOf);
    [this.values, this.low, this.high] = [block.values, block.low, block.high].map((values) =>
      this.labels.map((_, place) => list(values)[place] ?? null),
    );
    this.across = new Across(block.lines);
    this.name = textOf(block.value_name) || "value";
    this.digits = block.digits;
    this.limits = block.limits;
    this.all = [...this.values, ...this.low, ...this.high, ...this.across.values];
    this.format = formatOf(this.all, block.digits);
    this.intervals = this.labels.some((_, place) => this.hasInterval(place));
    this.rows = { total: this.labels.length, size: ROWS_A_PAGE, what: "values" };
  }

  hasInterval(place) {
    return isNumber(this.low[place]) && isNumber(this.high[place]);
  }

  table() {
    const names = this.intervals ? [this.name, "From", "To"] : [this.name];
    const numbers = names.map((name) => ({ name, kind: "number", digits: this.digits }));
    const rows = this.labels.map((label, place) => [label, this.values[place], this.low[place], this.high[place]]);
    const across = this.across.lines.map((line) => [textOf(line.label), line.value, null, null]);
    return {
      columns: [{ name: "Label", kind: "text" }, ...numbers],
      rows: [...rows, ...across].map((row) => row.slice(0, 1 + numbers.length)),
    };
  }

  draw({ width, rows }) {
    const drawing = new Drawing(width);
    const labels = this.labels.slice(rows.from, rows.to);
    const left = Math.min(widest(labels) + 14, width * 0.36);
    const right = width - 18 - widest(this.values.slice(rows.from, rows.to).map(this.format));
    const about = this.intervals ? { padding: 0.06 } : { zero: true };
    const scale = new Scale(this.all, left + 6, right, { ...about, limits: this.limits });
    const top = 6 + 16 * this.across.lines.length;
    const bottom = top + labels.length * ROW;
    drawing.axis(scale, top, bottom);
    drawing.line(scale.from, bottom, scale.to, bottom, "rule");
    const middle = (scale.from + scale.to) / 2;
    drawing.small(middle, bottom + 33, this.name, { anchor: "middle", room: 2 * Math.min(middle, width - middle) });
    labels.forEach((label, row) => {
      const [place, y] = [rows.from + row, top + row * ROW];
      drawing.text(left - 2, y + 16, label, { anchor: "end", room: left - 8 });
      if (this.intervals) this.drawInterval(drawing, scale, place, y + ROW / 2);
      else drawing.bar(scale, this.values[place], y, null);
      drawing.text(width - 2, y + 16, this.format(this.values[place]), { anchor: "end" });
      drawing.target(0, y, width, ROW, this.sentence(place));
    });
    this.across.drawDown(drawing, scale, top, bottom, this.format);
    return drawing.finish(bottom + 38);
  }

  drawInterval(drawing, scale, place, y) {
    if (this.hasInterval(place)) {
      const [from, to] = [scale.at(this.low[place]), scale.at(this.high[place])];
      drawing.line(from, y, to, y, "whisker");
      for (const end of [from, to]) drawing.line(end, y - 4, end, y + 4, "whisker");
    }
    if (isNumber(this.values[place])) drawing.circle(scale.at(this.values[place]), y, 5, "member");
  }

  sentence(place) {
    const [low, high] = [this.format(this.low[place]), this.format(this.high[place])];
    const around = this.hasInterval(place) ? `, from ${low} to ${high}` : "";
    return `${cut(this.labels[place], 120)}: ${this.name} ${this.format(this.values[place])}${around}`;
  }
}

/** Series of points over numbers; hollow ones are not proven. */
class Lines {
  constructor(block) {
    this.series = list(block.series).map((series) => ({
      name: labelOf(series?.name),
      points: list(series?.points).map((point) => ({ x: null, y: null, ...point })),
    }));
    this.points = this.series.flatMap((series) => series.points.filter((point) => isNumber(point.x)));
    this.across = new Across(block.lines);
    this.marked = block.mark;
    [this.xName, this.yName] = [textOf(block.x_name) || "x", textOf(block.y_name) || "y"];
    [this.xLimits, this.yLimits] = [block.x_limits, block.y_limits];
    this.heights = [...this.points.map((point) => point.y), ...this.across.values];
    this.format = formatOf(this.heights);
    this.rows = { total: this.series.length, size: SERIES_A_PAGE, what: "series" };
  }

  table() {
    const points = this.series.flatMap((series) => series.points.map((point) => ({ ...point, series: series.name })));
    const columns = [
      [{ name: "Series", kind: "text" }, (point) => point.series, this.series.length > 1],
      [{ name: this.xName, kind: "number" }, (point) => point.x, true],
      [{ name: this.yName, kind: "number", digits: 6 }, (point) => point.y, true],
      [{ name: "Point", kind: "text" }, (point) => textOf(point.label), points.some((point) => point.label)],
      [{ name: "Proven", kind: "text" }, (point) => (point.open ? "no" : "yes"), points.some((point) => point.open)],
    ].filter(([, , shown]) => shown);
    const rows = points.map((point) => columns.map(([, cell]) => cell(point)));
    return { columns: columns.map(([column]) => column), rows };
  }

  draw({ width, rows }) {
    const drawing = new Drawing(width);
    const height = clamp(width * 0.46, 220, 380);
    const [top, bottom] = [26, height - 44];
    const y = new Scale(this.heights, bottom, top, { padding: 0.07, limits: this.yLimits });
    const ticks = y.ticks(clamp(height / 60, 3, 6));
    const left = widest(ticks.map(([, text]) => text), SMALL) + 12;
    const x = new Scale(this.points.map((point) => point.x), left + 10, width - 12, { padding: 0.03, limits: this.xLimits });
    for (const [at, text] of ticks) {
      drawing.line(left, at, width - 4, at, "grid");
      drawing.small(left - 6, at + 4, text, { anchor: "end" });
    }
    this.drawAxis(drawing, x, left, bottom);
    drawing.small(0, top - 12, this.yName, { room: width });
    this.across.drawAlong(drawing, y, left, width - 4);
    this.series.slice(rows.from, rows.to).forEach((series, place) => this.drawSeries(drawing, series, place, x, y));
    if (this.marked?.series >= rows.from && this.marked?.series < rows.to) this.drawMark(drawing, x, y, top);
    if (this.points.some((point) => point.open)) {
      drawing.keys.push([symbol(shape(0, 9, 7, 4.5, "open")), "hollow: not proven"]);
    }
    return drawing.finish(height);
  }

  drawAxis(drawing, scale, left, bottom) {
    const whole = this.points.every((point) => Number.isInteger(point.x));
    for (const [x, text] of scale.ticks(clamp(drawing.width / 80, 2, 10), whole)) {
      drawing.line(x, bottom, x, bottom + 4, "rule");
      drawing.small(x, bottom + 17, text, { anchor: "middle" });
    }
    drawing.line(left, bottom, drawing.width - 4, bottom, "rule");
    const middle = (left + drawing.width) / 2;
    drawing.small(middle, bottom + 36, this.xName, { anchor: "middle", room: drawing.width - left });
  }

  drawSeries(drawing, series, place, x, y) {
    let path = "";
    // A point without a value is a gap: the line ends before it and begins anew behind it.
    let step = "M";
    for (const point of series.points) {
      const known = isNumber(point.x) && isNumber(point.y);
      if (known) path += `${step}${x.at(point.x).toFixed(1)},${y.at(point.y).toFixed(1)}`;
      step = known ? "L" : "M";
    }
    drawing.add(svg("path", { d: path, class: `series c${place}` }));
    for (const point of series.points.filter((one) => isNumber(one.x) && isNumber(one.y))) {
      const [px, py] = [x.at(point.x), y.at(point.y)];
      drawing.add(shape(place, px, py, 4.5, `${point.open ? "open" : "dot"} c${place}`));
      drawing.target(px - 9, py - 9, 18, 18, this.sentence(series, point));
    }
    if (this.series.length > 1) {
      const stroke = svg("line", { x1: 0, y1: 7, x2: 18, y2: 7, class: `series c${place}` });
      drawing.keys.push([symbol(stroke, shape(place, 9, 7, 4, `dot c${place}`)), cut(series.name, 60)]);
    }
  }

  sentence(series, point) {
    const name = this.series.length > 1 ? `${cut(series.name, 80)}, ` : "";
    const label = point.label ? `${cut(textOf(point.label), 160)}: ` : "";
    const numbers = `${this.xName} ${numberText(point.x)}, ${this.yName} ${this.format(point.y)}`;
    return `${name}${label}${numbers}${point.open ? "; not proven" : ""}`;
  }

  /** A ring around a point, and beside it what it means, where that hides the fewest points. */
  drawMark(drawing, x, y, top) {
    const point = this.series[this.marked.series].points[this.marked.point];
    if (!isNumber(point?.x) || !isNumber(point?.y)) return;
    const [px, py] = [x.at(point.x), y.at(point.y)];
    drawing.circle(px, py, 10, "ring");
    const wide = Math.min(widthOf(cut(textOf(this.marked.label), 60)) + 1, drawing.width * 0.6);
    const places = [[6, -16], [-6 - wide, 26], [-6 - wide, -16], [6, 26]].map(([aside, below]) => {
      const [left, base] = [px + aside, py + below];
      const hides = (t) => t.x + 14 > left && t.x + 4 < left + wide && t.y + 14 > base - 12 && t.y + 4 < base + 3;
      const outside = left < 0 || left + wide > drawing.width || base < top;
      return { left, base, cost: drawing.targets.filter(hides).length + (outside ? 100 : 0) };
    });
    const { left, base } = places.reduce((a, b) => (b.cost < a.cost ? b : a));
    const inside = clamp(left, 0, drawing.width - wide);
    drawing.text(inside, base, this.marked.label, { kind: "strong halo", room: wide });
  }
}

/** By way of the style object, as a content-security policy allows it, and in words of the style sheet, which knows
 * about light, dark and paper. */
const heat = (share) => `color-mix(in oklab, var(--heat-high) ${Math.round(100 * share)}%, var(--heat-low))`;

/** Above that share of the scale, black numbers on light cells become white ones (the reverse in the dark). */
const HEAT_TURN = 0.64;

/** Numbers of rows and columns, each in its cell. */
class Matrix {
  constructor(block) {
    this.names = list(block.rows).map(labelOf);
    this.heads = list(block.columns).map(labelOf);
    this.values = this.names.map((_, r) => this.heads.map((__, c) => list(list(block.values)[r])[c] ?? null));
    [this.low, this.high, this.digits] = [block.low, block.high, block.digits];
    [this.name, this.rowName, this.columnName] = [block.value_name, block.row_name, block.column_name].map(textOf);
    this.format = formatOf(this.values.flat(), block.digits);
    // All pages have cells and labels of the same width.
    const longest = this.values.flat().map(this.format).reduce((a, b) => (b.length > a.length ? b : a), "");
    this.cellWidth = Math.max(24, widthOf(longest, SMALL) + 8);
    this.labelWidth = Math.max(widest(this.names), widest([this.rowName], SMALL)) + 14;
    this.rows = { total: this.names.length, size: ROWS_A_PAGE, what: "rows" };
  }

  columns(width) {
    const room = width - Math.min(this.labelWidth, width * 0.32);
    const over = Math.min(widest(this.heads, SMALL), room * 0.4) * 0.7;
    const size = clamp(Math.floor((room - over) / this.cellWidth), 1, 25);
    return { total: this.heads.length, size, what: "columns" };
  }

  table() {
    const numbers = this.heads.map((name) => ({ name, kind: "number", digits: this.digits }));
    const columns = [{ name: this.rowName || "Row", kind: "text" }, ...numbers];
    return { columns, rows: this.names.map((name, r) => [name, ...this.values[r]]) };
  }

  draw({ width, rows, columns, id }) {
    const drawing = new Drawing(width);
    const left = Math.min(this.labelWidth, width * 0.32);
    const shown = this.heads.slice(columns.from, columns.to);
    const heads = new Heads(shown, width - left, Math.min(this.cellWidth, width - left), Math.max(this.cellWidth, 64));
    const top = heads.height + (this.columnName ? 16 : 0);
    const hatch = drawing.hatch(id("hatch"), "stripe pale");
    drawing.small(left, 12, this.columnName, { room: width - left });
    drawing.small(left - 8, top - 6, this.rowName, { anchor: "end", room: left - 8 });
    heads.draw(drawing, left, top);
    this.names.slice(rows.from, rows.to).forEach((name, row) => {
      const y = top + row * (ROW + 2);
      drawing.text(left - 8, y + 17, name, { anchor: "end", room: left - 12 });
      shown.forEach((head, place) => {
        const value = this.values[rows.from + row][columns.from + place];
        this.drawCell(drawing, value, left + place * heads.width, y, heads.width - 2, hatch);
        const said = isNumber(value) ? this.format(value) : "not known";
        const text = `${cut(name, 80)} and ${cut(head, 80)}: ${this.name} ${said}`;
        drawing.target(left + place * heads.width, y, heads.width - 2, ROW, text);
      });
    });
    drawing.stride = shown.length;
    this.explain(drawing);
    return drawing.finish(top + (rows.to - rows.from) * (ROW + 2) + 2);
  }

  drawCell(drawing, value, x, y, width, hatch) {
    if (!isNumber(value)) {
      drawing.rect(x, y, width, ROW, { class: "cell", fill: hatch });
      return;
    }
    const ranged = isNumber(this.low) && isNumber(this.high) && this.low < this.high;
    const share = ranged ? clamp(shareOf(value, this.low, this.high), 0, 1) : 0.5;
    drawing.rect(x, y, width, ROW, { class: "cell" }).style.fill = heat(share);
    const kind = share > HEAT_TURN ? "on-high" : "on-low";
    drawing.text(x + width / 2, y + 16, this.format(value), { anchor: "middle", size: SMALL, kind });
  }

  explain(drawing) {
    if (!isNumber(this.low) || !isNumber(this.high)) return;
    const strip = svg("svg", { width: 92, height: 14, viewBox: "0 0 92 14", "aria-hidden": "true" });
    for (let step = 0; step < 23; step += 1) {
      const part = svg("rect", { x: step * 4, y: 1, width: 4.5, height: 12 });
      part.style.fill = heat(step / 22);
      strip.append(part);
    }
    drawing.keys.push([strip, `${this.name} from ${this.format(this.low)} to ${this.format(this.high)}`]);
  }
}

const CHARTS = { membership: Membership, bars: Bars, lines: Lines, matrix: Matrix };

// --- A chart on the page ---------------------------------------------------------------------------------------------

/** The frame around a drawing: title, description, key, pages, its numbers on request, and a voice for each mark. */
class Figure {
  constructor(page, block, chart) {
    Object.assign(this, { page, chart, width: 0, current: -1 });
    this.rows = new Pager(chart.rows.what, () => this.draw());
    this.columns = chart.columns ? new Pager(chart.columns(page.width).what, () => this.draw()) : null;
    this.build(block);
    page.watch(this.plot, () => this.resize(this.plot.clientWidth));
  }

  build(block) {
    const id = this.page.id("figure");
    const named = { "aria-labelledby": id, "aria-describedby": `${id}-about` };
    this.key = el("ul", { class: "key" });
    this.tip = el("div", { class: "tip", role: "status" });
    this.plot = el("div", { class: "plot", tabindex: 0, role: "group", ...named });
    this.more = el("div", { class: "numbers", id: `${id}-numbers`, hidden: true });
    const controls = { "aria-expanded": "false", "aria-controls": this.more.id };
    this.toggle = button("Show as table", () => this.showNumbers(), controls);
    this.head = heading(this.page.level + 2, "", { id, class: "figure-title" });
    this.about = el("p", { class: "about", id: `${id}-about` });
    this.note = el("p", { class: "small muted" });
    this.element = el(
      "figure",
      { id: textOf(block.id) || null },
      this.head,
      this.about,
      this.key,
      this.plot,
      this.note,
      el("div", { class: "tools below" }, this.rows.element, this.columns?.element, this.toggle),
      this.more,
    );
    this.say(block);
    this.listen();
  }

  say(block) {
    this.block = block;
    this.title = textOf(block.title) || "Chart";
    retell(this.head, this.title);
    retell(this.about, block.description);
    retell(this.note, block.note);
    this.note.hidden = !block.note;
  }

  /** Other numbers in the same frame, so that what has the focus keeps it. */
  update(block) {
    this.say(block);
    this.chart = new CHARTS[block.chart](block);
    this.draw();
    this.numbers?.update(this.chart.table());
  }

  listen() {
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerdown", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.show(-1));
    this.plot.addEventListener("blur", () => this.show(-1));
    this.plot.addEventListener("click", () => this.choose());
    this.plot.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.choose();
      const { stride, targets } = this.drawing;
      const all = targets.length;
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: stride, ArrowUp: -stride, Home: -all, End: all };
      if (event.key === "Escape") this.show(-1);
      if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.show(this.current < 0 ? 0 : clamp(this.current + steps[event.key], 0, targets.length - 1));
    });
  }

  resize(width) {
    if (width > 0 && Math.abs(width - this.width) >= 1) {
      this.width = width;
      this.draw();
    }
  }

  draw() {
    const { total, size } = this.chart.rows;
    this.rows.update(total, size);
    const width = Math.max(240, this.width);
    if (this.columns) {
      const across = this.chart.columns(width);
      this.columns.update(across.total, across.size);
    }
    const id = (name) => this.page.id(name);
    this.drawing = this.chart.draw({ width, rows: this.rows, columns: this.columns, id });
    this.current = -1;
    this.halo = svg("rect", { class: "here", rx: 4, visibility: "hidden" });
    this.drawing.add(this.halo);
    this.plot.replaceChildren(total ? this.drawing.svg : message("There is nothing to draw."), this.tip);
    const item = ([mark, text]) => el("li", {}, mark, el("bdi", {}, cut(text, 120)));
    this.key.replaceChildren(...this.drawing.keys.map(item));
    this.key.hidden = !total || !this.drawing.keys.length;
  }

  /** The mark below the pointer, or the nearest one within a finger's width. */
  point(event) {
    const box = this.drawing.svg.getBoundingClientRect();
    const ratio = box.width ? this.drawing.width / box.width : 1;
    const [x, y] = [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
    let best = -1;
    let least = 16;
    this.drawing.targets.forEach((target, place) => {
      const beyond = (at, from, extent) => Math.max(from - at, 0, at - from - extent);
      const away = Math.hypot(beyond(x, target.x, target.width), beyond(y, target.y, target.height));
      // Of marks that lie on each other, the one whose middle is closest.
      const middle = Math.hypot(x - target.x - target.width / 2, y - target.y - target.height / 2);
      if (away + middle / 1e3 < least) [best, least] = [place, away + middle / 1e3];
    });
    this.show(best);
  }

  show(place) {
    if (place === this.current) return;
    this.current = place;
    const target = this.drawing.targets[place];
    this.halo.setAttribute("visibility", target ? "visible" : "hidden");
    this.tip.textContent = tamed(target?.text);
    if (!target) return;
    const { x, y, width, height } = target;
    fill(this.halo, { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 }, []);
    const ratio = this.drawing.svg.getBoundingClientRect().width / this.drawing.width || 1;
    const room = Math.max(0, this.plot.clientWidth - this.tip.offsetWidth);
    this.tip.style.left = `${clamp((x + width / 2) * ratio - this.tip.offsetWidth / 2, 0, room)}px`;
    this.tip.style.top = `${(y + height) * ratio + 8}px`;
  }

  /** Tells the page which mark was chosen. */
  choose() {
    const detail = this.drawing.targets[this.current];
    if (detail?.item !== undefined) this.plot.dispatchEvent(new CustomEvent("choose", { bubbles: true, detail }));
  }

  showNumbers() {
    const open = this.more.hidden;
    if (open && !this.numbers) {
      const file = `${textOf(this.block.id) || "chart"}.csv`;
      const block = { ...this.chart.table(), page_size: ROWS_A_PAGE, file };
      this.numbers = new Table(this.page, block, { text: `Numbers of ${cut(this.title, 80)}` });
      this.more.append(this.numbers.element);
    }
    this.more.hidden = !open;
    this.toggle.setAttribute("aria-expanded", String(open));
    this.toggle.textContent = open ? "Hide table" : "Show as table";
  }
}

// --- Blocks ----------------------------------------------------------------------------------------------------------

const TONES = { note: "Note", warning: "Warning" };

function textBlock(page, block) {
  const paragraphs = list(block.paragraphs).map((paragraph) => prose(el("p"), paragraph));
  if (block.tone === "verdict") {
    const label = block.label ? el("p", { class: "sure" }, textOf(block.label)) : null;
    return el("div", { class: block.good ? "banner" : "banner unsure" }, label, ...paragraphs);
  }
  const tone = TONES[block.tone];
  if (!tone) return el("div", { class: "text" }, ...paragraphs);
  return el("div", { class: `aside ${block.tone}`, role: "note" }, el("p", { class: "tone" }, tone), ...paragraphs);
}

function factsBlock(page, block) {
  const items = list(block.items).map((item) => {
    const [label, text] = list(item);
    const letters = textOf(text).length > LONGEST_FACT ? LONGEST_CELL : LONGEST_FACT;
    return el("div", {}, prose(el("dt"), label), el("dd", {}, nameOf(text, letters)));
  });
  return items.length ? el("dl", { class: "facts" }, ...items) : message("There is nothing to show.");
}

function tableBlock(page, block) {
  const caption = textOf(block.caption);
  const id = page.id("table");
  const table = new Table(page, block, caption ? { id, text: caption } : { text: page.section });
  if (caption) table.element.prepend(heading(page.level + 2, caption, { id, class: "table-title" }));
  if (block.id) table.element.id = textOf(block.id);
  return table.element;
}

/** Copies text, by the clipboard's interface or, where a page has none, as a selection. */
async function copy(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const selection = getSelection();
    selection.selectAllChildren(shown);
    return document.execCommand("copy");
  }
}

function codeBlock(page, block) {
  const text = textOf(block.text);
  const shown = el("code", {}, text);
  const label = textOf(block.label) || { shell: "Command line", python: "Python" }[block.language] || "Code";
  const said = el("span", { class: "said", role: "status" });
  const take = async () => {
    said.textContent = (await copy(text, shown)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => said.replaceChildren(), 4000);
  };
  const press = button("Copy", take, { "aria-label": `Copy: ${cut(label, 80)}` });
  const head = el("div", { class: "code-head" }, prose(el("p"), label), said, press);
  return el("div", { class: "code" }, head, el("pre", {}, shown));
}

function chartBlock(page, block) {
  if (!Object.hasOwn(CHARTS, block.chart)) {
    const kind = cut(textOf(block.chart), 40);
    return message(`A chart of the kind "${kind}" cannot be drawn by this version of the page.`);
  }
  const figure = new Figure(page, block, new CHARTS[block.chart](block));
  // Now rather than when it is seen first, so that what is wrong with it is said in its place.
  figure.resize(page.width);
  return figure.element;
}

const BLOCKS = { text: textBlock, facts: factsBlock, table: tableBlock, code: codeBlock, chart: chartBlock };

/** A block, or a sentence in its place: one that is damaged must not take the others along. */
function blockOf(page, block) {
  if (!Object.hasOwn(BLOCKS, textOf(block?.kind))) {
    const kind = cut(textOf(block?.kind), 40);
    return message(`A part of the kind "${kind}" cannot be shown by this version of the page.`);
  }
  try {
    return BLOCKS[block.kind](page, block);
  } catch (error) {
    return message(`This part is damaged and cannot be shown (${cut(String(error?.message), 200)}).`);
  }
}

// --- The page --------------------------------------------------------------------------------------------------------

/** One drawing of a document: identifiers, watchers, and what is to be undone before the next one. */
class Page {
  constructor(root, { embedded, inside }) {
    Object.assign(this, { root, embedded, inside, width: 0, made: 0, section: "" });
    this.life = new AbortController();
    this.printers = [];
    this.watched = new Map();
    this.sizes = new ResizeObserver((entries) => {
      // In a frame of its own: drawing changes sizes, and an observer that causes what it observes is an error.
      requestAnimationFrame(() => entries.forEach(({ target }) => this.watched.get(target)?.()));
    });
    this.listenForPrinting();
  }

  id(prefix) {
    this.made += 1;
    return `${prefix}-${this.made}`;
  }

  watch(element, changed) {
    this.watched.set(element, changed);
    this.sizes.observe(element);
  }

  onPrint(changed) {
    this.printers.push(changed);
  }

  listenForPrinting() {
    const { signal } = this.life;
    let printing = false;
    const set = (now) => {
      if (now !== printing) this.printers.forEach((changed) => changed(now));
      printing = now;
    };
    addEventListener("beforeprint", () => set(true), { signal });
    addEventListener("afterprint", () => set(false), { signal });
    matchMedia("print").addEventListener("change", (event) => set(event.matches), { signal });
  }

  close() {
    this.life.abort();
    this.sizes.disconnect();
    this.watched.clear();
  }

  /** The frame first, because charts ask how wide it is. */
  draw(content) {
    const sections = list(content.sections).filter((section) => section && typeof section === "object");
    this.level = this.embedded && content.title ? 2 : 1;
    const contents = !this.embedded && sections.length >= SECTIONS_WITH_CONTENTS ? this.contents(sections) : null;
    const main = el(this.embedded || this.inside ? "div" : "main", { class: "sections" });
    const kind = contents ? "page with-contents" : "page";
    this.root.replaceChildren(el("div", { class: kind }, this.head(content), contents, main));
    this.width = main.clientWidth || 680;
    main.append(...sections.map((section, place) => this.sectionOf(section, place)));
    if (!sections.length) main.append(message("This report has no content."));
  }

  head(content) {
    // A part of a page may do without a title of its own.
    if (this.embedded && !content.title) return null;
    const head = el(this.embedded || this.inside ? "div" : "header", { class: "head" });
    head.append(heading(this.level, textOf(content.title) || "Report"));
    if (content.subtitle) head.append(prose(el("p", { class: "subtitle" }), content.subtitle));
    return head;
  }

  sectionOf(section, place) {
    this.section = textOf(section.title) || "Section";
    const id = textOf(section.id) || `section-${place + 1}`;
    const title = heading(this.level + 1, this.section, { tabindex: -1 });
    const blocks = list(section.blocks).map((block) => blockOf(this, block));
    if (section.folded) return el("section", { id }, el("details", { class: "folded" }, el("summary", {}, this.section), ...blocks));
    return el("section", { id }, title, ...blocks);
  }

  contents(sections) {
    const links = sections.map((section, place) => {
      const id = textOf(section.id) || `section-${place + 1}`;
      const title = cut(textOf(section.title) || "Section", 60);
      const link = el("a", { href: `#${encodeURIComponent(id)}` }, el("bdi", {}, title));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.reveal(id, true);
      });
      return el("li", {}, link);
    });
    const wide = matchMedia("(min-width: 1088px)");
    const fold = el("details", { open: wide.matches }, el("summary", {}, "Contents"), el("ol", {}, ...links));
    wide.addEventListener("change", () => (fold.open = wide.matches), { signal: this.life.signal });
    return el("nav", { "aria-label": "Contents" }, fold);
  }

  /** Browsers do not look for fragments inside of shadow trees. */
  reveal(id, chosen) {
    const place = id && this.root.getElementById(id);
    if (!place) return;
    place.scrollIntoView();
    if (!chosen) return;
    place.querySelector("h1, h2, h3")?.focus({ preventScroll: true });
    // The address says where one is, so that it can be passed on.
    location.hash = encodeURIComponent(id);
  }

  followAddress() {
    const go = () => {
      try {
        this.reveal(decodeURIComponent(location.hash.slice(1)), false);
      } catch {
        // No address of ours.
      }
    };
    if (location.hash) go();
    addEventListener("hashchange", go, { signal: this.life.signal });
  }
}

// --- Style -----------------------------------------------------------------------------------------------------------

/** In multiples of 16 pixels, whatever the page around a notebook takes for its own unit. */
const STYLE = `
:host {
  all: initial; display: block; color-scheme: light dark;
  --paper: #fdfdfc; --ink: #1d2126; --soft: #5b636c; --rule: #d9dad5; --hair: #e9e9e5; --band: #f5f5f2;
  --accent: #0b5d94; --accent-soft: #e8f0f6; --warm: #a34a00; --warm-soft: #fbf1e6; --bar: #6291b5; --shade: #0000001f;
  --heat-low: #eef3f7; --heat-high: #0a3a63; --on-low: #000; --on-high: #fff;
  --c0: #0072b2; --c1: #c24f00; --c2: #00805c; --c3: #a3508a; --c4: #8f6400; --c5: #2a86bd; --c6: #5d5d5d; --c7: #1d2126;
  background: var(--paper); color: var(--ink); --unit: 16px; font: 1rem/1.55 ${SANS}; text-align: start; -webkit-text-size-adjust: 100%;
}
@media screen and (prefers-color-scheme: dark) {
  :host {
    --paper: #15181c; --ink: #e7e7e3; --soft: #a6aeb7; --rule: #3a4149; --hair: #2a3037; --band: #1b1f24;
    --accent: #86c3ee; --accent-soft: #1d2b38; --warm: #f0ad6d; --warm-soft: #30251a; --bar: #4d7da2; --shade: #00000080;
    --heat-low: #1c242b; --heat-high: #6cb2e4; --on-low: #fff; --on-high: #000;
    --c0: #63b3ea; --c1: #f28c46; --c2: #35c496; --c3: #e09cc6; --c4: #e6b035; --c5: #a6d6f7; --c6: #bdbdbd; --c7: #f2f2ee;
  }
}
@media screen and (prefers-color-scheme: light) {
  :host([embedded]) { --paper: #fff; }
}
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.page { max-width: 54rem; margin: 0 auto; padding: 1.6rem 1.25rem 4rem; counter-reset: table figure; }
:host(:not([embedded])) .page { min-height: 100vh; }
/* A cell of a notebook shows the essence on one screen. */
:host([embedded]) { --unit: 13.5px; }
:host([embedded]) .page { max-width: 66rem; padding: 0.6rem; margin: 0; }
:host([embedded]) section { padding-top: 1rem; }
:host([embedded]) .text p + p { margin-top: 0.3rem; }
:host([embedded]) .sections section > figure, :host([embedded]) .sections section > .table { margin-top: 1.1rem; }
:host([embedded]) .text, :host([embedded]) .aside, :host([embedded]) .about { max-width: none; }
:host([embedded]) .about { font-size: 0.86rem; }
:host([embedded]) .sections:first-child > section:first-child { padding-top: 0; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 1.2rem; padding-bottom: 0.7rem; border-bottom: 2px solid var(--ink); }
h1, h2, h3, h4 { font-family: ${SERIF}; line-height: 1.22; margin: 0; font-weight: 600; overflow-wrap: anywhere; text-wrap: balance; }
.sections section > * + * { margin-top: 1.15rem; }
.sections section > figure, .sections section > .table { margin-top: 2rem; }
.sections section > :first-child + * { margin-top: 0.9rem; }
.head > * { font-size: 2.1rem; letter-spacing: -0.01em; }
.head > .subtitle { font-size: 1.05rem; letter-spacing: 0; color: var(--soft); margin: 0; max-width: 46rem; overflow-wrap: anywhere; }
:host([embedded]) .head > :first-child { font-size: 1.5rem; }
section { padding-top: 2.6rem; }
#in-short { padding-top: 1.4rem; }
#in-short .aside { max-width: none; }
#in-short > .table { margin-top: 1.15rem; }
section > :first-child { font-size: 1.45rem; outline-offset: 0.3rem; }
.figure-title, .table-title { font-size: 1.08rem; }
.table-title::before, .figure-title::before {
  font: 600 0.8rem/1 ${SANS}; color: var(--soft); margin-right: 0.6em; letter-spacing: 0.02em;
}
.table-title::before { counter-increment: table; content: "Table " counter(table); }
.figure-title::before { counter-increment: figure; content: "Figure " counter(figure); }
:host([embedded]) .table-title::before, :host([embedded]) .figure-title::before { content: none; }
section > .folded { font-size: 1rem; }
.folded > summary { cursor: pointer; color: var(--soft); width: fit-content; }
.folded > * + * { margin-top: 1.15rem; }
p { margin: 0; overflow-wrap: anywhere; text-wrap: pretty; }
.option { white-space: nowrap; }
.text, .aside { max-width: 44rem; }
.text p + p, .aside p + p { margin-top: 0.7rem; }
.muted { color: var(--soft); }
.small { font-size: 0.86rem; }
.on-paper { display: none; }
.message { color: var(--soft); border: 1px dashed var(--rule); border-radius: 6px; padding: 0.7rem 0.9rem; }
.aside { border-left: 3px solid var(--accent); background: var(--accent-soft); padding: 0.75rem 1rem; border-radius: 0 6px 6px 0; }
.aside.warning { border-color: var(--warm); background: var(--warm-soft); }
.tone { font-size: 0.78rem; font-weight: 650; letter-spacing: 0.04em; color: var(--accent); }
.aside.warning .tone { color: var(--warm); }
.aside .tone + p { margin-top: 0.15rem; }

.banner { border: 1px solid var(--rule); border-top: 4px solid var(--accent); background: var(--accent-soft); border-radius: 0 0 6px 6px; padding: 0.9rem 1.1rem; }
.banner.unsure { border-top-color: var(--warm); background: var(--warm-soft); }
.banner p { max-width: 50rem; }
.banner p + p { margin-top: 0.45rem; }
.banner p:not(.sure) { font-size: 0.97rem; }
.banner p:not(.sure):first-of-type, .banner .sure + p { font-family: ${SERIF}; font-size: 1.2rem; line-height: 1.35; font-weight: 600; }
.sure { display: inline-block; font-size: 0.8rem; font-weight: 650; letter-spacing: 0.03em; color: var(--paper); background: var(--accent); border-radius: 1rem; padding: 0.05rem 0.7rem; }
.banner.unsure .sure { background: var(--warm); }

.facts { margin: 0; border-top: 1px solid var(--hair); }
.facts > div { display: grid; grid-template-columns: minmax(8rem, 13rem) minmax(0, 1fr); gap: 0.2rem 1.5rem; padding: 0.42rem 0; border-bottom: 1px solid var(--hair); }
dt { color: var(--soft); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }

.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; justify-content: flex-end; align-items: center; margin: 0.5rem 0 0.4rem; }
.tools:empty { display: none; }
.tools input { margin-right: auto; }
.tools.below { justify-content: flex-start; margin: 0.5rem 0 0; }
button, input {
  font: 0.84rem/1.3 ${SANS}; color: inherit; background: transparent; border: 1px solid var(--rule);
  border-radius: 6px; padding: 0.32rem 0.7rem; margin: 0;
}
input { background: var(--paper); width: min(16rem, 100%); border-color: var(--soft); }
input::placeholder { color: var(--soft); opacity: 1; }
button { cursor: pointer; }
button:hover { background: var(--band); border-color: var(--soft); }
button[aria-disabled="true"] { color: var(--soft); border-color: var(--hair); cursor: default; background: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.pager { display: flex; flex-wrap: wrap; gap: 0.3rem; align-items: center; margin-top: 0.6rem; font-size: 0.84rem; }
.below .pager { margin: 0 0.8rem 0 0; }
.pager button { min-width: 2rem; padding: 0.22rem 0.4rem; font-size: 1rem; }
.range { color: var(--soft); padding: 0 0.5rem; font-variant-numeric: tabular-nums; }

.table { display: flex; flex-wrap: wrap; align-items: flex-end; column-gap: 1rem; }
.table > * { flex: 0 0 100%; min-width: 0; }
.table > .table-title { flex: 1 1 60%; margin-bottom: 0.4rem; }
.table > .table-title + .tools { flex: 0 1 auto; margin-left: auto; }
.slim-2 { max-width: 26rem; }
.slim-3 { max-width: 34rem; }
.slim-4 { max-width: 42rem; }
/* Shades at the edges say that there is more to the side. */
.scroller {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 0.7rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 0.7rem 100% no-repeat scroll;
}
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; line-height: 1.45; border-top: 2px solid var(--ink); border-bottom: 1px solid var(--ink); }
thead { border-bottom: 1px solid var(--ink); }
th, td { text-align: start; vertical-align: top; padding: 0.38rem 1.1rem 0.38rem 0; font-weight: 400; overflow-wrap: break-word; max-width: 32rem; }
th:last-child, td:last-child { padding-right: 0.2rem; }
th:first-child, td:first-child { padding-left: 0.2rem; }
tbody tr + tr { border-top: 1px solid var(--hair); }
tbody tr:hover { background: var(--band); }
th.number, td.number { text-align: end; font-variant-numeric: tabular-nums; }
td.number, .brief { white-space: nowrap; }
th.number:first-child, td.number:first-child { width: 1%; padding-right: 1.6rem; }
td.list { min-width: 15rem; }
thead th { vertical-align: bottom; white-space: nowrap; padding-top: 0.25rem; padding-bottom: 0.25rem; }
thead button { border: 0; padding: 0.15rem 0.1rem; margin: 0 -0.1rem; font-weight: 650; font-size: 0.84rem; white-space: normal; text-align: inherit; }
thead button:hover { background: none; text-decoration: underline; text-underline-offset: 3px; }
/* Out of the flow, so that a heading does not move when rows are sorted by it. */
thead button { position: relative; text-wrap: balance; }
.sign { position: absolute; left: calc(100% + 0.2em); bottom: 0.3em; font-size: 0.7em; }
th.number .sign { left: auto; right: calc(100% + 0.2em); }
.names { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.22rem 0.35rem; }
.names li { background: var(--band); border: 1px solid var(--hair); border-radius: 4px; padding: 0 0.4rem; max-width: 100%; }
.names .more { border: 0; background: none; padding: 0; }
.names .more button { padding: 0 0.4rem; }
.legend { font-size: 0.84rem; margin: 0.6rem 0 0; color: var(--soft); max-width: 44rem; }
.legend div + div { margin-top: 0.15rem; }
.legend dt { display: inline; font-weight: 600; }
.legend dt::after { content: ": "; }
.legend dd { display: inline; }
.long { display: inline-block; vertical-align: top; max-width: 100%; }
.long summary { list-style: none; cursor: pointer; text-decoration: underline dotted; text-underline-offset: 3px; overflow-wrap: anywhere; }
.long summary::-webkit-details-marker { display: none; }
.whole { display: block; max-height: 14rem; max-width: 32rem; overflow-y: auto; overflow-wrap: anywhere; font-size: 0.82rem; padding: 0.3rem 0; white-space: pre-wrap; }

figure { margin: 0; }
.about { color: var(--soft); font-size: 0.92rem; max-width: 44rem; margin-top: 0.25rem; }
.plot { position: relative; margin-top: 0.6rem; }
.plot svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; margin: 0.6rem 0 0; padding: 0; font-size: 0.8rem; color: var(--soft); }
.key li { display: flex; align-items: center; gap: 0.4rem; min-width: 0; overflow-wrap: anywhere; }
.key svg { flex: none; }
.tip {
  position: absolute; z-index: 1; pointer-events: none; max-width: min(24rem, 100%); background: var(--ink); color: var(--paper);
  font-size: 0.8rem; line-height: 1.4; padding: 0.35rem 0.6rem; border-radius: 6px; overflow-wrap: anywhere;
}
.tip:empty { padding: 0; }
.numbers { margin-top: 0.8rem; }
text { font-family: ${SANS}; fill: var(--ink); unicode-bidi: isolate; font-variant-numeric: tabular-nums; }
text.soft { fill: var(--soft); }
text.strong { font-weight: 600; }
text.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
text.on-low { fill: var(--on-low); }
text.on-high { fill: var(--on-high); }
.grid { stroke: var(--hair); }
.rule { stroke: var(--soft); }
.band { fill: var(--band); }
.bar { fill: var(--bar); }
.outlined { stroke: var(--bar); }
.stripe { fill: var(--bar); }
.stripe.pale { fill: var(--rule); }
.hatch-ground { fill: var(--paper); }
.member { fill: var(--c0); }
.absent { fill: var(--soft); opacity: 0.55; }
.whisker { stroke: var(--c0); stroke-width: 1.6; }
.across { stroke: var(--warm); stroke-width: 1.4; stroke-dasharray: 6 4; }
.across.dash1 { stroke-dasharray: 2 3; }
.across.dash2 { stroke-dasharray: 9 3 2 3; }
.series { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.open { vector-effect: non-scaling-stroke; fill: var(--paper); stroke: var(--soft); stroke-width: 1.8; }
.ring { fill: none; stroke: var(--ink); stroke-width: 1.6; }
.here { fill: none; stroke: var(--accent); stroke-width: 2; }
${[0, 1, 2, 3, 4, 5, 6, 7].map((c) => `.series.c${c}, .open.c${c} { stroke: var(--c${c}); } .dot.c${c} { fill: var(--c${c}); }`).join("\n")}

.code { border: 1px solid var(--hair); border-radius: 6px; background: var(--band); }
.code-head { display: flex; gap: 0.6rem; align-items: center; padding: 0.35rem 0.5rem 0 0.9rem; font-size: 0.84rem; color: var(--soft); }
.code-head p { margin-right: auto; }
pre { margin: 0; padding: 0.35rem 0.9rem 0.75rem; font: 0.84rem/1.5 ${MONO}; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: inherit; }

nav { margin-top: 1.2rem; font-size: 0.9rem; }
nav summary { cursor: pointer; color: var(--soft); width: fit-content; }
nav ol { margin: 0.5rem 0 0; padding-left: 1.5rem; }
nav li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
nav a { color: var(--accent); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; text-underline-offset: 3px; }
@media screen and (min-width: 1088px) {
  .with-contents { max-width: 70rem; display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); column-gap: 3.5rem; align-items: start; }
  .with-contents .head { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; padding-top: 1.7rem; margin: 0; max-height: 100vh; overflow-y: auto; }
  nav summary { list-style: none; font-weight: 600; cursor: default; pointer-events: none; }
  nav summary::-webkit-details-marker { display: none; }
  nav ol { padding-left: 1.8rem; }
  nav li { margin: 0.3rem 0; line-height: 1.35; }
}
@media screen and (max-width: 544px) {
  .stacks tr { display: flex; flex-wrap: wrap; }
  .stacks th, .stacks td { flex: 1 1 3.6rem; min-width: 0; padding-right: 0.5rem; }
  .stacks td.brief { white-space: normal; }
  .stacks th.list, .stacks td.list { order: 1; flex-basis: 100%; min-width: 0; }
}
@media (max-width: 544px) {
  .page { padding: 1.5rem 1rem 3rem; }
  .head > * { font-size: 1.65rem; }
  .facts > div { grid-template-columns: 1fr; gap: 0; }
  .facts dt { font-size: 0.84rem; }
}
@media print {
  :host { --paper: #fff; --band: #f6f6f4; --unit: 12.5px; line-height: 1.45; background: none; }
  :host, .page, .bar, .cell, .key svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .page { max-width: none; padding: 0; min-height: 0 !important; }
  nav, button, input, .tip, .pager button, .here { display: none !important; }
  .on-paper { display: block; }
  .on-paper:empty { display: none; }
  .table { display: block; }
  .table > .pager { display: none; }
  thead .on-paper, .more .on-paper { display: inline; }
  thead th { font-weight: 650; }
  thead { display: table-header-group; }
  h1, h2, h3, h4, .about, .key, .tone { break-after: avoid; }
  figure, tr, .aside, .code, .facts > div, .plot { break-inside: avoid; }
  section { padding-top: 1.6rem; }
  /* The first sheet stands alone. */
  #in-short { padding-top: 0.9rem; break-after: page; }
  #in-short .facts { font-size: 0.92rem; }
  #in-short .facts > div { padding: 0.22rem 0; grid-template-columns: 8.5rem minmax(0, 1fr); gap: 0 1rem; }
  .head > * { font-size: 1.7rem; }
  .scroller { overflow: visible; background: none; }
  .long summary { text-decoration: none; }
  tbody tr:hover { background: none; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .names li { transition: background-color 0.12s; }
}
`;

/** What a shadow tree cannot say: the edges of the window, and of the sheet of paper. */
const AROUND = `
:root { color-scheme: light dark; }
body { margin: 0; }
@page { size: A4; margin: 18mm 17mm 20mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt ${SANS}; color: #5b636c; } }
`;

function sheetOf(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

const inUnits = (style) => style.replace(/([\d.]+)rem\b/g, "calc($1 * var(--unit))");
const STYLE_SHEET = sheetOf(inUnits(STYLE));
const AROUND_SHEET = sheetOf(AROUND);

// --- The element -----------------------------------------------------------------------------------------------------

/** What is wrong with a document, in a sentence; null if it can be drawn. */
function complaint(content) {
  if (content === null || typeof content !== "object" || Array.isArray(content) || !Array.isArray(content.sections)) {
    return "The data of this page are damaged, so only its plain content is shown.";
  }
  if (isNumber(content.schema) && content.schema > SCHEMA) {
    return "This page was written for a later version of altsets, so only its plain content is shown.";
  }
  return null;
}

class AltsetsPage extends HTMLElement {
  #content;
  #page = null;

  connectedCallback() {
    if (!this.shadowRoot) {
      this.attachShadow({ mode: "open" });
      this.shadowRoot.adoptedStyleSheets = [STYLE_SHEET];
    }
    if (!this.hasAttribute("embedded") && !document.adoptedStyleSheets.includes(AROUND_SHEET)) {
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, AROUND_SHEET];
    }
    // A property that was set before this module ran hides the one below.
    if (Object.hasOwn(this, "document")) {
      this.#content = this.document;
      delete this.document;
    }
    if (this.#content !== undefined) this.#draw();
    else if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => this.#read(), { once: true });
    else this.#read();
  }

  disconnectedCallback() {
    this.#page?.close();
    this.#page = null;
  }

  /** The document that is shown; a new one is drawn at once. */
  get document() {
    return this.#content;
  }

  set document(content) {
    this.#content = content;
    if (this.isConnected) this.#draw();
  }

  #read() {
    try {
      this.#content ??= JSON.parse(this.querySelector(':scope > script[type="application/json"]').textContent);
    } catch {
      this.#content = null;
    }
    this.#draw();
  }

  #draw() {
    this.#page?.close();
    const wrong = complaint(this.#content);
    if (wrong) {
      this.shadowRoot.replaceChildren(el("p", { class: "message", role: "status" }, wrong), el("slot"));
      return;
    }
    const inside = Boolean(this.closest("main"));
    this.#page = new Page(this.shadowRoot, { embedded: this.hasAttribute("embedded"), inside });
    this.#page.draw(this.#content);
    if (!this.hasAttribute("embedded")) this.#page.followAddress();
  }
}

// Several outputs of a notebook bring the module along several times.
if (!customElements.get("altsets-page")) customElements.define("altsets-page", AltsetsPage);

export { AROUND_SHEET, CHARTS, Figure, Page, Pager, STYLE_SHEET, blockOf, button, count, cut, download, el, fill, inUnits, labelOf, list, nameOf, numberText, prose, retell, sheetOf, tamed };
