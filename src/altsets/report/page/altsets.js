/*
 * altsets.js draws a document of altsets (sections of text, facts, tables, code and charts) in <altsets-page>.
 *
 * The document is the JSON in a child script of the element; its other children are what is to be seen where this module
 * does not run, and give way to what is drawn.
 * Or: element.document = {...}, as often as you like. With the attribute `embedded` (a notebook, a part of another page)
 * there is no table of contents, and headings begin one level lower.
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
/** Letters without a space, and letters in all, beyond which a text is cut until somebody asks for it. */
const LONGEST_WORD = 48;
const LONGEST_NAME = 64;
const LONGEST_TEXT = 280;
/** Letters of a text that is not broken into lines. */
const SHORT_TEXT = 24;
/** Names in one cell that are shown at once. */
const NAMES_IN_CELL = 16;

const SANS = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, system-ui, sans-serif';
const SERIF = 'Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, "Source Serif 4", Cambria, Georgia, "Liberation Serif", serif';
const MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace';

// --- Values as text --------------------------------------------------------------------------------------------------

const list = (value) => (Array.isArray(value) ? value : []);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const textOf = (value) => (value === null || value === undefined ? "" : String(value));
const count = (number) => number.toLocaleString("en-US");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** Whole numbers in full, others with so many significant digits; a dash for what is not known. */
function numberText(value, digits) {
  if (!isNumber(value)) return "–";
  const size = Math.abs(value);
  const precision = clamp(Math.round(digits ?? 4) || 4, 1, 15);
  let text;
  if (size >= 1e15 || (size > 0 && size < 1e-4)) text = value.toExponential(precision - 1).replace("e+", "e");
  else if ((digits === undefined && Number.isInteger(value)) || size >= 10 ** precision) {
    text = size < 1e4 ? String(Math.round(value)) : count(Math.round(value));
  } else text = value.toPrecision(precision);
  return text.replace("-", "−").replace("e-", "e−");
}

/** How to write numbers that stand together: without decimals where none of them has any. */
function formatOf(values, digits) {
  const whole = values.every((value) => !isNumber(value) || Number.isInteger(value));
  return (value) => numberText(value, whole ? undefined : (digits ?? 4));
}

/** A text of at most so many letters: its beginning and its end, because names often differ at the end only. */
function cut(text, letters) {
  if (text.length <= letters) return text;
  const tail = Math.floor((letters - 1) / 3);
  // Half of a surrogate pair is no letter.
  const begin = text.slice(0, letters - 1 - tail).replace(/[\uD800-\uDBFF]$/, "");
  return `${begin}…${tail ? text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, "") : ""}`;
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
function nameOf(value, letters = LONGEST_NAME, word = LONGEST_WORD) {
  const text = textOf(value);
  if (!text.trim()) return el("span", { class: "muted" }, "(blank)");
  const long = text.length > letters || new RegExp(`\\S{${word + 1}}`).test(text);
  if (!long) return el("bdi", {}, text);
  const whole = el("bdi", { class: "whole" }, text);
  const label = el("summary", { title: "Show all of it" }, el("bdi", {}, cut(text, Math.min(letters, LONGEST_WORD))));
  return el("details", { class: "long" }, label, whole);
}

/** Running text; words that no line can hold are cut like names, and options of commands stay in one piece. */
function prose(parent, value) {
  const pieces = textOf(value).split(new RegExp(`(\\S{${LONGEST_WORD + 1},}|--[a-z][a-z-]*)`));
  const whole = (piece) => (piece.startsWith("--") ? el("span", { class: "option" }, piece) : nameOf(piece));
  parent.append(...pieces.map((piece, place) => (place % 2 ? whole(piece) : piece)));
  return parent;
}

function heading(level, text, attributes = {}) {
  return prose(el(`h${clamp(level, 1, 6)}`, attributes), text);
}

function message(text) {
  return el("p", { class: "message", role: "note" }, text);
}

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// --- Pages of rows ---------------------------------------------------------------------------------------------------

/** Which part of many things is shown, with the buttons to change that. */
class Pager {
  constructor(what, changed) {
    this.what = what;
    this.changed = changed;
    this.page = 0;
    this.size = ROWS_A_PAGE;
    this.total = 0;
    this.status = el("span", { class: "range", "aria-live": "polite" });
    const step = (label, sign, target) => {
      const made = button(sign, () => this.go(target()), { "aria-label": `${label} ${what}` });
      return made;
    };
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
    const before = this.page;
    this.page = clamp(page, 0, this.last);
    if (this.page !== before) this.changed();
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
    this.columns = list(block.columns).map((column) => ({ kind: "text", ...column, name: textOf(column?.name) }));
    this.rows = list(block.rows).map(list);
    this.size = Number.isInteger(block.page_size) && block.page_size > 0 ? block.page_size : ROWS_A_PAGE;
    this.file = textOf(block.file) || "table.csv";
    this.label = label;
    this.query = "";
    this.printing = false;
    this.formats = this.columns.map((column, c) => formatOf(this.rows.map((row) => row[c]), column.digits));
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

  build(block) {
    this.heads = this.columns.map((column, c) => this.head(column, c));
    this.body = el("tbody");
    const named = this.label.id ? { "aria-labelledby": this.label.id } : { "aria-label": this.label.text };
    const table = el("table", named, el("thead", {}, el("tr", {}, ...this.heads)), this.body);
    const scroller = el("div", { class: "scroller" }, table);
    this.paper = el("p", { class: "on-paper muted" });
    this.element = el("div", { class: "table" }, this.tools(), scroller, this.paper, this.pager.element, this.legend());
    if (this.isSlim()) this.element.classList.add("slim", `slim-${clamp(this.columns.length, 2, 4)}`);
    // Only what scrolls is a stop for the keyboard.
    this.page.watch(scroller, () => {
      const scrolls = scroller.scrollWidth > scroller.clientWidth + 1;
      fill(scroller, scrolls ? { tabindex: 0, role: "group", "aria-label": `${this.label.text}, scrolls sideways` } : {}, []);
      if (!scrolls) for (const name of ["tabindex", "role", "aria-label"]) scroller.removeAttribute(name);
    });
  }

  /** Whether its columns would be far apart on a whole line; the same on all of its pages. */
  isSlim() {
    const brief = (value) => typeof value === "number" || textOf(value).length <= SHORT_TEXT;
    return this.columns.length <= 4 && this.rows.every((row) => row.every((value) => !Array.isArray(value) && brief(value)));
  }

  head(column, c) {
    const first = column.kind === "number";
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    const press = button(el("bdi", {}, cut(column.name, LONGEST_WORD)), () => this.sort(c, this.by === c ? !this.descending : first));
    press.append(sign);
    // Browsers do not print buttons in the heads of later pages.
    const printed = el("span", { class: "on-paper" }, cut(column.name, LONGEST_WORD));
    return el("th", { scope: "col", class: column.kind === "number" ? "number" : null }, press, printed);
  }

  tools() {
    const tools = el("div", { class: "tools" });
    if (this.rows.length > this.size) {
      const search = el("input", { type: "search", placeholder: "Search", "aria-label": `Search in ${cut(this.label.text, 80)}` });
      search.addEventListener("input", () => {
        this.query = search.value.trim().toLowerCase();
        this.pager.page = 0;
        this.draw();
      });
      tools.append(search);
    }
    if (this.rows.length) {
      const save = () => download(this.file, csvOf(this.columns, this.order.map((r) => this.rows[r])));
      tools.append(button("Download CSV", save, { title: `${plural(this.rows.length, "row")} in ${cut(this.file, 80)}` }));
    }
    return tools;
  }

  /** What columns mean, below the table: a tip that needs a mouse is lost on paper and on phones. */
  legend() {
    const explained = this.columns.filter((column) => column.help);
    if (!explained.length) return null;
    const items = explained.map((column) => el("div", {}, el("dt", {}, nameOf(column.name)), prose(el("dd"), column.help)));
    return el("dl", { class: "legend" }, ...items);
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
    const shown = row.map((value, c) => (Array.isArray(value) ? value.join("\n") : `${textOf(value)}\n${this.shown(value, c)}`));
    return shown.join("\n").toLowerCase().includes(this.query);
  }

  shown(value, c) {
    return typeof value === "number" ? this.formats[c](value) : "";
  }

  draw() {
    const rows = this.query ? this.order.filter((r) => this.matches(this.rows[r])) : this.order;
    this.pager.update(rows.length, this.size);
    const shown = this.printing ? rows.slice(0, ROWS_ON_PAPER) : rows.slice(this.pager.from, this.pager.to);
    this.paper.textContent =
      rows.length > ROWS_ON_PAPER ? `The first ${ROWS_ON_PAPER} of ${plural(rows.length, "row")}.` : "";
    this.body.replaceChildren(...shown.map((r) => this.row(this.rows[r])));
    if (!shown.length) this.body.append(this.nothing());
  }

  nothing() {
    const text = this.query ? "No row matches." : "There is nothing to show.";
    return el("tr", {}, el("td", { class: "muted", colspan: Math.max(1, this.columns.length) }, text));
  }

  row(values) {
    return el("tr", {}, ...this.columns.map((column, c) => this.cell(values[c], column, c)));
  }

  cell(value, column, c) {
    if (value === null || value === undefined) return el("td", { class: `${column.kind} muted` }, "–");
    if (Array.isArray(value)) return el("td", { class: "list" }, namesOf(value));
    if (typeof value === "number") return el("td", { class: "number" }, this.formats[c](value));
    const kind = column.kind === "number" ? "number" : String(value).length <= SHORT_TEXT ? "brief" : null;
    // The first column says what a row is about.
    const [tag, scope] = c === 0 ? ["th", "row"] : ["td", null];
    return el(tag, { scope, class: kind }, nameOf(value, LONGEST_TEXT));
  }
}

// --- What charts have in common --------------------------------------------------------------------------------------

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, size = 12) {
  if (!ruler) return text.length * size * 0.55;
  ruler.font = `${size}px ${SANS}`;
  return ruler.measureText(text).width;
}

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

const widest = (texts, size) => texts.reduce((most, text) => Math.max(most, widthOf(cut(textOf(text), 100), size)), 0);
const labelOf = (value) => (textOf(value).trim() ? textOf(value) : "(blank)");

/** Round numbers that cover a range. */
function ticksOf(low, high, about, whole = false) {
  const span = high - low;
  if (!Number.isFinite(span) || span <= 0) return [low];
  const rough = span / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  if (!(step > 0) || !Number.isFinite(step)) return [low];
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: clamp(last - first + 1, 0, 50) }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

/** Ticks with as many decimals as tell them apart. */
function tickTexts(ticks) {
  const size = Math.max(...ticks.map(Math.abs), 0);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return ticks.map((tick) => (tick ? numberText(tick, 3) : "0"));
  const decimals = Math.max(0, ...ticks.map((tick) => (String(tick).split(".")[1] ?? "").length));
  return ticks.map((tick) => (decimals ? tick.toFixed(Math.min(decimals, 6)).replace("-", "−") : numberText(tick)));
}

/** From values to pixels. A range without extent is made one, and halves keep the largest numbers finite. */
class Scale {
  constructor(values, from, to, { zero = false, padding = 0 } = {}) {
    const known = values.filter(isNumber);
    if (zero || !known.length) known.push(0);
    let low = known.reduce((a, b) => Math.min(a, b));
    let high = known.reduce((a, b) => Math.max(a, b));
    if (low === high) {
      const extent = Math.abs(low) * 0.1 || 1;
      [low, high] = zero ? [Math.min(0, low), Math.max(0, high) || 1] : [low - extent, high + extent];
      if (low === high) low = high - 1;
    } else if (padding) {
      const extent = (high / 2 - low / 2) * 2 * padding;
      if (Number.isFinite(low - extent) && Number.isFinite(high + extent)) [low, high] = [low - extent, high + extent];
    }
    Object.assign(this, { low, high, from, to });
  }

  at(value) {
    const share = (value / 2 - this.low / 2) / (this.high / 2 - this.low / 2);
    return this.from + share * (this.to - this.from);
  }

  ticks(about, whole) {
    return ticksOf(this.low, this.high, about, whole);
  }
}

/** Marks of series: no two of the first eight have the same shape, whatever their colour. */
const SHAPES = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  (r) => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0,${-1.25 * r}l${1.25 * r},${2.2 * r}h${-2.5 * r}z`,
  (r) => `M0,${-1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}z`,
  (r) => `M0,${1.25 * r}l${1.25 * r},${-2.2 * r}h${-2.5 * r}z`,
  (r) => `M${-0.45 * r},${-1.3 * r}h${0.9 * r}v${0.85 * r}h${0.85 * r}v${0.9 * r}h${-0.85 * r}v${0.85 * r}h${-0.9 * r}v${-0.85 * r}h${-0.85 * r}v${-0.9 * r}h${0.85 * r}z`,
  (r) => `M${-1.2 * r},0l${0.6 * r},${-1.05 * r}h${1.2 * r}l${0.6 * r},${1.05 * r}l${-0.6 * r},${1.05 * r}h${-1.2 * r}z`,
  (r) => `M${-0.6 * r},${-1.3 * r}h${1.2 * r}v${2.6 * r}h${-1.2 * r}z`,
];
const shape = (place, x, y, r, attributes) =>
  svg("path", { d: SHAPES[place % SHAPES.length](r), transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`, ...attributes });

/** An SVG that grows, and what of it can be asked for its numbers. */
class Drawing {
  constructor(width) {
    this.width = width;
    this.svg = svg("svg", { width, "aria-hidden": "true", focusable: "false" });
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

  rect(x, y, width, height, kind) {
    const made = svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind });
    this.add(made);
    return made;
  }

  /** A text of which as much is shown as fits; the rest is in its title. */
  text(x, y, value, { room = Infinity, anchor = "start", kind = "", size = 12, turn = 0 } = {}) {
    const whole = textOf(value);
    const shown = room === Infinity ? cut(whole, 100) : fitted(whole, room, size);
    const made = svg("text", { x, y, "text-anchor": anchor, class: kind || null, "font-size": size }, shown);
    if (turn) made.setAttribute("transform", `rotate(${turn} ${x} ${y})`);
    if (shown !== whole) made.append(svg("title", {}, cut(whole, 400)));
    this.add(made);
    return made;
  }

  target(x, y, width, height, text) {
    this.targets.push({ x, y, width, height, text });
  }

  finish(height) {
    const whole = Math.ceil(height);
    fill(this.svg, { height: whole, viewBox: `0 0 ${this.width} ${whole}` }, []);
    return this;
  }
}

/** Stripes for what colour alone must not say; each drawing has its own, as hidden ones lend none. */
function hatching(drawing, id, kind) {
  const stripes = svg("pattern", { id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  stripes.append(svg("rect", { width: 5, height: 5, class: "hatch-ground" }), svg("rect", { width: 2, height: 5, class: kind }));
  drawing.add(svg("defs", {}, stripes));
  return `url(#${id})`;
}

const symbol = (...marks) => svg("svg", { width: 18, height: 14, viewBox: "0 0 18 14", "aria-hidden": "true" }, ...marks);

/** Lines across a chart, such as a baseline, each with its label in a row of its own above it. */
function acrossX(drawing, lines, scale, top, bottom, format) {
  lines.forEach((line, place) => {
    const x = scale.at(line.value);
    const y = top - 8 - 16 * (lines.length - 1 - place);
    const left = x < drawing.width / 2;
    drawing.line(x, y - 8, x, bottom, `across dash${place % 3}`);
    const room = (left ? drawing.width - x : x) - 8;
    drawing.text(x + (left ? 5 : -5), y, `${textOf(line.label)} ${format(line.value)}`, { anchor: left ? "start" : "end", room, kind: "soft", size: 11 });
  });
}

function acrossY(drawing, lines, scale, left, right) {
  const taken = [];
  lines.forEach((line, place) => {
    const y = scale.at(line.value);
    drawing.line(left, y, right, y, `across dash${place % 3}`);
    let at = y - 5;
    // Labels of lines that are close together move apart.
    while (taken.some((other) => Math.abs(other - at) < 13)) at += 13;
    taken.push(at);
    drawing.text(right - 2, at, `${textOf(line.label)} ${tickTexts([line.value])[0]}`, { anchor: "end", room: right - left, kind: "soft halo", size: 11 });
  });
}

const linesOf = (block) => list(block.lines).filter((line) => isNumber(line?.value));

/** Labels above columns: level where they fit, else turned, which takes height above and room to the right. */
class Heads {
  constructor(labels, room, narrowest, broadest) {
    this.longest = Math.min(150, room * 0.4);
    const long = Math.min(this.longest, widest(labels, 11));
    const last = Math.min(this.longest, widest(labels.slice(-1), 11));
    const across = (over) => clamp((room - over) / Math.max(1, labels.length), narrowest, broadest);
    this.labels = labels;
    this.turned = long > across(0) - 4;
    const over = (width) => (this.turned ? Math.max(0, last * 0.7 + 10 - width / 2) : 0);
    this.width = across(over(across(0)));
    this.height = this.turned ? long * 0.72 + 16 : 18;
    this.total = this.width * labels.length + over(this.width);
  }

  draw(drawing, left, bottom) {
    this.labels.forEach((label, place) => {
      const x = left + (place + 0.5) * this.width;
      if (this.turned) drawing.text(x + 3, bottom - 6, label, { turn: -46, size: 11, room: this.longest, kind: "soft" });
      else drawing.text(x, bottom - 6, label, { anchor: "middle", size: 11, kind: "soft" });
    });
  }
}

// --- The charts ------------------------------------------------------------------------------------------------------
// Each says what is paged, what its numbers are as a table, and draws the part that a frame shows.

const ROW = 24;

/** Features, their scores, and the sets that have them. */
const membership = {
  rows: (block) => ({ total: list(block.features).length, size: ROWS_A_PAGE, what: "features" }),
  columns: (block, width) => ({ total: list(block.sets).length, size: clamp(Math.floor((width * 0.4) / 15), 4, 25), what: "sets" }),

  table(block) {
    const sets = list(block.sets);
    const marks = list(block.marks);
    const columns = [
      { name: "Feature", kind: "text" },
      { name: textOf(block.score_name) || "Score", kind: "number" },
      { name: "Sets", kind: "names" },
      ...(marks.some(Boolean) ? [{ name: "Above noise", kind: "text" }] : []),
    ];
    const rows = list(block.features).map((feature, f) => {
      const inside = sets.filter((_, s) => list(list(block.members)[f])[s]);
      return [feature, list(block.scores)[f] ?? null, inside, marks[f] ? "no" : "yes"].slice(0, columns.length);
    });
    return { columns, rows };
  },

  draw(block, frame) {
    const drawing = new Drawing(frame.width);
    const sets = list(block.sets).slice(frame.columns.from, frame.columns.to);
    const features = list(block.features).slice(frame.rows.from, frame.rows.to);
    const scores = list(block.scores);
    const format = formatOf(scores, 4);
    const scored = scores.some(isNumber);
    const labelWidth = Math.min(widest(features) + 14, frame.width * (scored ? 0.36 : 0.55));
    const heads = new Heads(sets, frame.width * 0.38, 14, 44);
    const head = heads.height;
    const left = frame.width - heads.total;
    const bottom = head + features.length * ROW;
    const bars = { left: labelWidth + 6, right: left - 14 };
    // All pages have the same scale, so that bars can be compared from page to page.
    const scale = new Scale(scores, bars.left, bars.right, { zero: true });
    const hatch = hatching(drawing, frame.id("hatch"), "stripe");
    heads.draw(drawing, left, head);
    features.forEach((_, f) => f % 2 || drawing.rect(0, head + f * ROW, frame.width, ROW, "band"));
    if (scored) this.axis(drawing, scale, head, bottom);
    features.forEach((feature, f) => {
      const at = frame.rows.from + f;
      const y = head + f * ROW;
      const quiet = Boolean(list(block.marks)[at]);
      drawing.text(4, y + 16, labelOf(feature), { room: labelWidth - 8, kind: quiet ? "soft" : "" });
      if (scored) this.bar(drawing, scale, scores[at], y, quiet ? hatch : null);
      const inside = this.dots(drawing, list(list(block.members)[at]).slice(frame.columns.from), sets, left, heads.width, y);
      const score = scored ? `${textOf(block.score_name) || "score"} ${format(scores[at])}; ` : "";
      const where = inside.length ? `in ${inside.join(", ")}` : "in none of these sets";
      drawing.target(0, y, frame.width, ROW, `${cut(textOf(feature), 120)}: ${score}${where}${quiet ? "; not above noise" : ""}`);
    });
    drawing.line(0, bottom, frame.width, bottom, "rule");
    this.keys(drawing, block, scored, hatch);
    return drawing.finish(bottom + (scored ? 22 : 4));
  },

  axis(drawing, scale, top, bottom) {
    const ticks = scale.ticks(clamp((scale.to - scale.from) / 60, 2, 6));
    tickTexts(ticks).forEach((text, place) => {
      const x = scale.at(ticks[place]);
      drawing.line(x, top, x, bottom, ticks[place] === 0 ? "zero" : "grid");
      drawing.text(x, bottom + 15, text, { anchor: "middle", kind: "soft", size: 11 });
    });
  },

  bar(drawing, scale, score, y, hatch) {
    const zero = scale.at(0);
    if (!isNumber(score)) {
      drawing.text(zero + 3, y + 16, "–", { kind: "soft" });
      return;
    }
    const x = scale.at(score);
    const made = drawing.rect(Math.min(zero, x), y + 6, Math.max(1, Math.abs(x - zero)), ROW - 12, hatch ? "bar outlined" : "bar");
    if (hatch) made.setAttribute("fill", hatch);
  },

  dots(drawing, members, sets, left, width, y) {
    const r = Math.min(6.5, width / 2 - 1.5);
    return sets.filter((_, s) => {
      const x = left + (s + 0.5) * width;
      drawing.add(svg("circle", { cx: x, cy: y + ROW / 2, r: members[s] ? r : 1.6, class: members[s] ? "member" : "absent" }));
      return members[s];
    });
  },

  keys(drawing, block, scored, hatch) {
    if (scored) drawing.keys.push([symbol(svg("rect", { x: 1, y: 2, width: 16, height: 10, class: "bar" })), textOf(block.score_name) || "score"]);
    drawing.keys.push([symbol(svg("circle", { cx: 9, cy: 7, r: 5.5, class: "member" })), "in the set"]);
    drawing.keys.push([symbol(svg("circle", { cx: 9, cy: 7, r: 1.6, class: "absent" })), "not in it"]);
    if (scored && list(block.marks).some(Boolean)) {
      drawing.keys.push([symbol(svg("rect", { x: 1, y: 2, width: 16, height: 10, fill: hatch, class: "bar outlined" })), "not above noise"]);
    }
  },
};

/** One value for each label: bars from zero, or dots with intervals where there are any. */
const bars = {
  rows: (block) => ({ total: list(block.labels).length, size: ROWS_A_PAGE, what: "values" }),

  table(block) {
    const parts = [["Label", list(block.labels)], [textOf(block.value_name) || "Value", list(block.values)]];
    if (Array.isArray(block.low)) parts.push(["From", block.low]);
    if (Array.isArray(block.high)) parts.push(["To", block.high]);
    const columns = parts.map(([name], place) => ({ name, kind: place ? "number" : "text", digits: place ? block.digits : undefined }));
    const rows = parts[0][1].map((_, r) => parts.map(([, values]) => values[r] ?? null));
    const across = linesOf(block).map((line) => [line.label, line.value, null, null].slice(0, columns.length));
    return { columns, rows: [...rows, ...across] };
  },

  draw(block, frame) {
    const drawing = new Drawing(frame.width);
    const values = list(block.values);
    const [low, high] = [list(block.low), list(block.high)];
    const lines = linesOf(block);
    const intervals = low.some(isNumber) && high.some(isNumber);
    const all = [...values, ...low, ...high, ...lines.map((line) => line.value)];
    const format = formatOf(all, block.digits);
    const labels = list(block.labels).slice(frame.rows.from, frame.rows.to);
    const left = Math.min(widest(labels) + 14, frame.width * 0.36);
    const room = widest(values.slice(frame.rows.from, frame.rows.to).map(format)) + 12;
    const scale = new Scale(all, left + 6, frame.width - room - 6, { zero: !intervals, padding: intervals ? 0.06 : 0 });
    const top = lines.length ? 16 * lines.length + 8 : 6;
    const bottom = top + labels.length * ROW;
    membership.axis(drawing, scale, top, bottom);
    drawing.line(scale.from, bottom, scale.to, bottom, "rule");
    const middle = (scale.from + scale.to) / 2;
    drawing.text(middle, bottom + 33, block.value_name, { anchor: "middle", kind: "soft", size: 11, room: 2 * Math.min(middle, frame.width - middle) });
    labels.forEach((label, place) => {
      const at = frame.rows.from + place;
      const y = top + place * ROW;
      drawing.text(left - 2, y + 16, labelOf(label), { anchor: "end", room: left - 8 });
      if (intervals) this.interval(drawing, scale, values[at], low[at], high[at], y + ROW / 2);
      else membership.bar(drawing, scale, values[at], y, null);
      drawing.text(frame.width - 2, y + 16, format(values[at]), { anchor: "end" });
      const around = isNumber(low[at]) && isNumber(high[at]) ? `, from ${format(low[at])} to ${format(high[at])}` : "";
      drawing.target(0, y, frame.width, ROW, `${cut(textOf(label), 120)}: ${textOf(block.value_name)} ${format(values[at])}${around}`);
    });
    acrossX(drawing, lines, scale, top, bottom, format);
    return drawing.finish(bottom + 38);
  },

  interval(drawing, scale, value, low, high, y) {
    if (isNumber(low) && isNumber(high)) {
      const [from, to] = [scale.at(low), scale.at(high)];
      drawing.line(from, y, to, y, "whisker");
      drawing.line(from, y - 4, from, y + 4, "whisker");
      drawing.line(to, y - 4, to, y + 4, "whisker");
    }
    if (isNumber(value)) drawing.add(svg("circle", { cx: scale.at(value), cy: y, r: 5, class: "member" }));
  },
};

/** Series of points over numbers; hollow ones are not proven. */
const lines = {
  rows: (block) => ({ total: list(block.series).length, size: SERIES_A_PAGE, what: "series" }),

  table(block) {
    const several = list(block.series).length > 1;
    const labelled = list(block.series).some((series) => list(series?.points).some((point) => point?.label));
    const open = list(block.series).some((series) => list(series?.points).some((point) => point?.open));
    const columns = [
      ...(several ? [{ name: "Series", kind: "text" }] : []),
      { name: textOf(block.x_name) || "x", kind: "number" },
      { name: textOf(block.y_name) || "y", kind: "number", digits: 6 },
      ...(labelled ? [{ name: "Point", kind: "text" }] : []),
      ...(open ? [{ name: "Proven", kind: "text" }] : []),
    ];
    const rows = list(block.series).flatMap((series) =>
      list(series?.points).map((point) => [
        ...(several ? [textOf(series.name)] : []),
        point?.x ?? null,
        point?.y ?? null,
        ...(labelled ? [textOf(point?.label)] : []),
        ...(open ? [point?.open ? "no" : "yes"] : []),
      ]),
    );
    return { columns, rows };
  },

  draw(block, frame) {
    const drawing = new Drawing(frame.width);
    const series = list(block.series).map((one) => ({ name: textOf(one?.name), points: list(one?.points).filter((point) => isNumber(point?.x)) }));
    const points = series.flatMap((one) => one.points);
    const across = linesOf(block);
    const height = clamp(frame.width * 0.46, 220, 380);
    const [top, bottom] = [26, height - 44];
    const y = new Scale([...points.map((point) => point.y), ...across.map((line) => line.value)], bottom, top, { padding: 0.07 });
    const yTicks = y.ticks(clamp(height / 60, 3, 6));
    const yTexts = tickTexts(yTicks);
    const left = widest(yTexts, 11) + 12;
    const x = new Scale(points.map((point) => point.x), left + 10, frame.width - 12, { padding: 0.03 });
    this.axes(drawing, block, { x, y, yTicks, yTexts, left, top, bottom, whole: points.every((point) => Number.isInteger(point.x)) });
    const format = formatOf([...points.map((point) => point.y), ...across.map((line) => line.value)], 4);
    acrossY(drawing, across, y, left, frame.width - 4);
    series.slice(frame.rows.from, frame.rows.to).forEach((one, place) => this.series(drawing, one, place, { x, y }, block, format));
    this.mark(drawing, block, series, frame, { x, y, top });
    if (points.some((point) => point.open)) {
      drawing.keys.push([symbol(shape(0, 9, 7, 4.5, { class: "open" })), "hollow: not proven"]);
    }
    return drawing.finish(height);
  },

  axes(drawing, block, { x, y, yTicks, yTexts, left, top, bottom, whole }) {
    yTexts.forEach((text, place) => {
      const at = y.at(yTicks[place]);
      drawing.line(left, at, drawing.width - 4, at, "grid");
      drawing.text(left - 6, at + 4, text, { anchor: "end", kind: "soft", size: 11 });
    });
    const ticks = x.ticks(clamp(drawing.width / 80, 2, 10), whole);
    tickTexts(ticks).forEach((text, place) => {
      const at = x.at(ticks[place]);
      drawing.line(at, bottom, at, bottom + 4, "rule");
      drawing.text(at, bottom + 17, text, { anchor: "middle", kind: "soft", size: 11 });
    });
    drawing.line(left, bottom, drawing.width - 4, bottom, "rule");
    drawing.text(0, top - 12, block.y_name, { kind: "soft", size: 11, room: drawing.width });
    drawing.text((left + drawing.width) / 2, bottom + 36, block.x_name, { anchor: "middle", kind: "soft", size: 11, room: drawing.width - left });
  },

  series(drawing, one, place, { x, y }, block, format) {
    let path = "";
    for (const point of one.points) {
      // A point without a value is a gap.
      path += isNumber(point.y) ? `${path && !path.endsWith(" ") ? "L" : "M"}${x.at(point.x).toFixed(1)},${y.at(point.y).toFixed(1)}` : " ";
    }
    drawing.add(svg("path", { d: path.trim(), class: `series c${place}` }));
    for (const point of one.points) {
      const [px, py] = [x.at(point.x), y.at(point.y ?? NaN)];
      if (!isNumber(point.y)) continue;
      drawing.add(shape(place, px, py, 4.5, { class: `${point.open ? "open" : "dot"} c${place}` }));
      const name = list(block.series).length > 1 ? `${cut(one.name, 80)}, ` : "";
      const label = point.label ? `${cut(textOf(point.label), 160)}: ` : "";
      drawing.target(px - 9, py - 9, 18, 18, `${name}${label}${textOf(block.x_name) || "x"} ${numberText(point.x, 4)}, ${textOf(block.y_name) || "y"} ${format(point.y)}${point.open ? "; not proven" : ""}`);
    }
    if (list(block.series).length > 1) {
      drawing.keys.push([symbol(svg("line", { x1: 0, y1: 7, x2: 18, y2: 7, class: `series c${place}` }), shape(place, 9, 7, 4, { class: `dot c${place}` })), one.name]);
    }
  },

  mark(drawing, block, series, frame, { x, y, top }) {
    const place = block.mark?.series;
    const point = list(list(block.series)[place]?.points)[block.mark?.point];
    if (!isNumber(point?.x) || !isNumber(point?.y) || place < frame.rows.from || place >= frame.rows.to) return;
    const [px, py] = [x.at(point.x), y.at(point.y)];
    drawing.add(svg("circle", { cx: px, cy: py, r: 10, class: "ring" }));
    const wide = Math.min(widthOf(cut(textOf(block.mark.label), 60)), drawing.width * 0.6);
    // Beside the ring, where it hides the fewest points.
    const places = [[1, -1], [-1, 1], [-1, -1], [1, 1]].map(([aside, above]) => {
      const left = aside > 0 ? px + 6 : px - 6 - wide;
      const base = py + (above > 0 ? 26 : -16);
      const hidden = drawing.targets.filter((t) => t.x + 14 > left && t.x + 4 < left + wide && t.y + 14 > base - 12 && t.y + 4 < base + 3);
      const outside = left < 0 || left + wide > drawing.width || base < top;
      return { left, base, cost: hidden.length + (outside ? 100 : 0) };
    });
    const best = places.reduce((a, b) => (b.cost < a.cost ? b : a));
    drawing.text(clamp(best.left, 0, drawing.width - wide), best.base, block.mark.label, { kind: "strong halo", room: wide + 1 });
  },
};

/** Numbers of rows and columns, each in its cell. */
const matrix = {
  rows: (block) => ({ total: list(block.rows).length, size: ROWS_A_PAGE, what: "rows" }),

  /** How wide labels and cells are; the same on all pages. */
  sizes(block, width) {
    const labels = Math.max(widest(list(block.rows)), widest([block.row_name], 11));
    const format = formatOf(list(block.values).flat(), block.digits);
    const longest = list(block.values).flat().map(format).reduce((a, b) => (b.length > a.length ? b : a), "");
    return { left: Math.min(labels + 14, width * 0.32), cell: Math.max(24, widthOf(longest, 11) + 8), format };
  },

  columns(block, width) {
    const { left, cell } = this.sizes(block, width);
    const over = Math.min(widest(list(block.columns), 11), (width - left) * 0.4) * 0.7;
    return { total: list(block.columns).length, size: clamp(Math.floor((width - left - over) / cell), 1, 25), what: "columns" };
  },

  table(block) {
    const columns = [{ name: textOf(block.row_name) || "Row", kind: "text" }, ...list(block.columns).map((name) => ({ name: textOf(name), kind: "number", digits: block.digits }))];
    return { columns, rows: list(block.rows).map((name, r) => [name, ...list(list(block.values)[r])]) };
  },

  draw(block, frame) {
    const drawing = new Drawing(frame.width);
    const rows = list(block.rows).slice(frame.rows.from, frame.rows.to);
    const columns = list(block.columns).slice(frame.columns.from, frame.columns.to);
    const { left, cell, format } = this.sizes(block, frame.width);
    const heads = new Heads(columns, frame.width - left, Math.min(cell, frame.width - left), Math.max(cell, 64));
    const { width } = heads;
    const top = heads.height + (block.column_name ? 16 : 0);
    const hatch = hatching(drawing, frame.id("hatch"), "stripe pale");
    if (block.column_name) drawing.text(left, 12, block.column_name, { kind: "soft", size: 11, room: frame.width - left });
    if (block.row_name) drawing.text(left - 8, top - 6, block.row_name, { anchor: "end", kind: "soft", size: 11, room: left - 10 });
    heads.draw(drawing, left, top);
    rows.forEach((row, r) => {
      const y = top + r * (ROW + 2);
      drawing.text(left - 8, y + 17, labelOf(row), { anchor: "end", room: left - 12 });
      columns.forEach((column, c) => {
        const value = list(list(block.values)[frame.rows.from + r])[frame.columns.from + c];
        this.cell(drawing, block, { value, text: format(value), x: left + c * width, y, width, hatch });
        drawing.target(left + c * width, y, width - 2, ROW, `${cut(textOf(row), 80)} and ${cut(textOf(column), 80)}: ${textOf(block.value_name)} ${isNumber(value) ? format(value) : "not known"}`);
      });
    });
    drawing.stride = columns.length;
    this.key(drawing, block, format);
    return drawing.finish(top + rows.length * (ROW + 2) + 2);
  },

  /** Between 0 and 1; a range without extent is all middle. */
  share(block, value) {
    const [low, high] = [block.low, block.high];
    if (!isNumber(low) || !isNumber(high) || low >= high) return 0.5;
    return clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0, 1);
  },

  cell(drawing, block, { value, text, x, y, width, hatch }) {
    const made = drawing.rect(x, y, width - 2, ROW, "cell");
    if (!isNumber(value)) {
      made.setAttribute("fill", hatch);
      return;
    }
    const share = this.share(block, value);
    made.style.fill = heat(share);
    drawing.text(x + width / 2 - 1, y + 16, text, { anchor: "middle", size: 11, kind: share > HEAT_TURN ? "on-high" : "on-low" });
  },

  key(drawing, block, format) {
    if (!isNumber(block.low) || !isNumber(block.high)) return;
    const strip = svg("svg", { width: 92, height: 14, viewBox: "0 0 92 14", "aria-hidden": "true" });
    for (let step = 0; step < 23; step += 1) {
      const part = svg("rect", { x: step * 4, y: 1, width: 4.5, height: 12 });
      part.style.fill = heat(step / 22);
      strip.append(part);
    }
    drawing.keys.push([strip, `${textOf(block.value_name)} from ${format(block.low)} to ${format(block.high)}`]);
  },
};

/** By way of the style object, as a content-security policy allows it, and in words of the style sheet, which knows about
 * light, dark and paper. */
const heat = (share) => `color-mix(in oklab, var(--heat-high) ${Math.round(100 * share)}%, var(--heat-low))`;

/** Above that share of the scale, text in a cell changes from dark to light (from light to dark in dark mode). */
const HEAT_TURN = 0.58;

const CHARTS = { membership, bars, lines, matrix };

// --- A chart on the page ---------------------------------------------------------------------------------------------

/** The frame around a drawing: title, description, key, pages, its numbers on request, and a voice for each mark. */
class Figure {
  constructor(page, block, kind) {
    Object.assign(this, { page, block, kind, width: 0, current: -1 });
    this.title = textOf(block.title) || "Chart";
    const what = kind.rows(block).what;
    this.rows = new Pager(what, () => this.draw());
    this.columns = kind.columns ? new Pager(kind.columns(block, 700).what, () => this.draw()) : null;
    this.build();
    page.watch(this.plot, () => this.resize(this.plot.clientWidth));
  }

  build() {
    const titleId = this.page.id("figure");
    this.key = el("ul", { class: "key" });
    this.tip = el("div", { class: "tip", role: "status" });
    this.plot = el("div", { class: "plot", tabindex: 0, role: "group", "aria-labelledby": titleId, "aria-describedby": `${titleId}-about` });
    this.more = el("div", { class: "numbers", id: `${titleId}-numbers`, hidden: true });
    this.toggle = button("Show as table", () => this.showNumbers(), { "aria-expanded": "false", "aria-controls": this.more.id });
    const pagers = [this.rows.element, ...(this.columns ? [this.columns.element] : [])];
    this.element = el(
      "figure",
      { id: this.block.id ? textOf(this.block.id) : null },
      heading(this.page.level + 2, this.title, { id: titleId, class: "figure-title" }),
      prose(el("p", { class: "about", id: `${titleId}-about` }), this.block.description),
      this.key,
      this.plot,
      this.block.note ? prose(el("p", { class: "small muted" }), this.block.note) : null,
      el("div", { class: "tools below" }, ...pagers, this.toggle),
      this.more,
    );
    this.listen();
  }

  listen() {
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerdown", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.show(-1));
    this.plot.addEventListener("blur", () => this.show(-1));
    this.plot.addEventListener("keydown", (event) => {
      const { stride, targets } = this.drawing;
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: stride, ArrowUp: -stride, Home: -targets.length, End: targets.length };
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
    const { total, size } = this.kind.rows(this.block);
    this.rows.update(total, size);
    if (this.columns) {
      const across = this.kind.columns(this.block, this.width);
      this.columns.update(across.total, across.size);
    }
    const frame = { width: Math.max(240, this.width), rows: this.rows, columns: this.columns, id: (name) => this.page.id(name) };
    this.drawing = this.kind.draw(this.block, frame);
    this.current = -1;
    this.halo = svg("rect", { class: "here", rx: 4, visibility: "hidden" });
    this.drawing.add(this.halo);
    this.plot.replaceChildren(total ? this.drawing.svg : message("There is nothing to draw."), this.tip);
    this.key.replaceChildren(...this.drawing.keys.map(([mark, text]) => el("li", {}, mark, el("bdi", {}, cut(labelOf(text), 60)))));
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
      const aside = Math.max(target.x - x, 0, x - target.x - target.width);
      const above = Math.max(target.y - y, 0, y - target.y - target.height);
      // Of marks that lie on each other, the one whose middle is closest.
      const away = Math.hypot(aside, above) + Math.hypot(x - target.x - target.width / 2, y - target.y - target.height / 2) / 1e3;
      if (away < least) [best, least] = [place, away];
    });
    this.show(best);
  }

  show(place) {
    if (place === this.current) return;
    this.current = place;
    const target = this.drawing.targets[place];
    this.halo.setAttribute("visibility", target ? "visible" : "hidden");
    this.tip.textContent = target?.text ?? "";
    if (!target) return;
    const { x, y, width, height } = target;
    fill(this.halo, { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 }, []);
    const ratio = this.drawing.svg.getBoundingClientRect().width / this.drawing.width || 1;
    const room = this.plot.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${clamp((x + width / 2) * ratio - this.tip.offsetWidth / 2, 0, Math.max(0, room))}px`;
    this.tip.style.top = `${(y + height) * ratio + 8}px`;
  }

  showNumbers() {
    const open = this.more.hidden;
    if (open && !this.more.firstChild) {
      const file = `${textOf(this.block.id) || "chart"}.csv`;
      const block = { ...this.kind.table(this.block), page_size: ROWS_A_PAGE, file };
      this.more.append(new Table(this.page, block, { text: `Numbers of ${cut(this.title, 80)}` }).element);
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
  const tone = TONES[block.tone];
  if (!tone) return el("div", { class: "text" }, ...paragraphs);
  return el("div", { class: `aside ${block.tone}`, role: "note" }, el("p", { class: "tone" }, tone), ...paragraphs);
}

function factsBlock(page, block) {
  const items = list(block.items).map((item) => {
    const [label, text] = list(item);
    return el("div", {}, prose(el("dt"), label), el("dd", {}, nameOf(text, LONGEST_TEXT, LONGEST_TEXT)));
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
  const press = button("Copy", async () => {
    said.textContent = (await copy(text, shown)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => said.replaceChildren(), 4000);
  }, { "aria-label": `Copy: ${cut(label, 80)}` });
  return el("div", { class: "code" }, el("div", { class: "code-head" }, prose(el("p"), label), said, press), el("pre", {}, shown));
}

function chartBlock(page, block) {
  const kind = Object.hasOwn(CHARTS, block.chart) ? CHARTS[block.chart] : null;
  if (!kind) return message(`A chart of the kind "${cut(textOf(block.chart), 40)}" cannot be drawn by this version of the page.`);
  const figure = new Figure(page, block, kind);
  // Now rather than when it is seen first, so that what is wrong with it is said in its place.
  figure.resize(page.width);
  return figure.element;
}

const BLOCKS = { text: textBlock, facts: factsBlock, table: tableBlock, code: codeBlock, chart: chartBlock };

/** A block, or a sentence in its place: one that is damaged must not take the others along. */
function blockOf(page, block) {
  const kind = block && typeof block === "object" && Object.hasOwn(BLOCKS, block.kind) ? BLOCKS[block.kind] : null;
  if (!kind) return message(`A part of the kind "${cut(textOf(block?.kind), 40)}" cannot be shown by this version of the page.`);
  try {
    return kind(page, block);
  } catch (error) {
    return message(`This part is damaged and cannot be shown (${cut(String(error?.message), 200)}).`);
  }
}

// --- The page --------------------------------------------------------------------------------------------------------

/** One drawing of a document: identifiers, watchers, and what is to be undone before the next one. */
class Page {
  constructor(root, { embedded, inside }) {
    Object.assign(this, { root, embedded, inside, width: 0, made: 0, section: "" });
    this.level = embedded ? 2 : 1;
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
    const contents = !this.embedded && sections.length >= SECTIONS_WITH_CONTENTS ? this.contents(sections) : null;
    const main = el(this.embedded || this.inside ? "div" : "main", { class: "sections" });
    this.root.replaceChildren(el("div", { class: contents ? "page with-contents" : "page" }, this.head(content), contents, main));
    this.width = main.clientWidth || 680;
    main.append(...sections.map((section, place) => this.sectionOf(section, place)));
    if (!sections.length) main.append(message("This report has no content."));
  }

  head(content) {
    const head = el(this.embedded || this.inside ? "div" : "header", { class: "head" });
    head.append(heading(this.level, textOf(content.title) || "Report"));
    if (content.subtitle) head.append(prose(el("p", { class: "subtitle" }), content.subtitle));
    return head;
  }

  sectionOf(section, place) {
    this.section = textOf(section.title) || "Section";
    const id = textOf(section.id) || `section-${place + 1}`;
    const title = heading(this.level + 1, this.section, { tabindex: -1 });
    return el("section", { id }, title, ...list(section.blocks).map((block) => blockOf(this, block)));
  }

  contents(sections) {
    const links = sections.map((section, place) => {
      const id = textOf(section.id) || `section-${place + 1}`;
      const link = el("a", { href: `#${encodeURIComponent(id)}` }, el("bdi", {}, cut(textOf(section.title) || "Section", 60)));
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
  --accent: #0b5d94; --accent-soft: #e8f0f6; --warm: #a34a00; --warm-soft: #fbf1e6; --bar: #7ea6c4; --shade: #0000001f;
  --heat-low: #eef3f7; --heat-high: #0a3a63; --on-low: #000; --on-high: #fff;
  --c0: #0072b2; --c1: #c24f00; --c2: #00805c; --c3: #a3508a; --c4: #8f6400; --c5: #2a86bd; --c6: #5d5d5d; --c7: #1d2126;
  background: var(--paper); color: var(--ink); --unit: 16px; font: 1rem/1.55 ${SANS}; text-align: start; -webkit-text-size-adjust: 100%;
}
@media screen and (prefers-color-scheme: dark) {
  :host {
    --paper: #15181c; --ink: #e7e7e3; --soft: #a6aeb7; --rule: #3a4149; --hair: #2a3037; --band: #1b1f24;
    --accent: #86c3ee; --accent-soft: #1d2b38; --warm: #f0ad6d; --warm-soft: #30251a; --bar: #4d7da2; --shade: #00000080;
    --heat-low: #1f2831; --heat-high: #a9dcff; --on-low: #fff; --on-high: #000;
    --c0: #63b3ea; --c1: #f28c46; --c2: #35c496; --c3: #e09cc6; --c4: #e6b035; --c5: #a6d6f7; --c6: #bdbdbd; --c7: #f2f2ee;
  }
}
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.page { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; counter-reset: table figure; }
:host(:not([embedded])) .page { min-height: 100vh; }
:host([embedded]) .page { padding: 1rem; margin: 0; }
.head { padding-bottom: 1.25rem; border-bottom: 2px solid var(--ink); }
h1, h2, h3, h4 { font-family: ${SERIF}; line-height: 1.22; margin: 0; font-weight: 600; overflow-wrap: anywhere; text-wrap: balance; }
.sections section > * + * { margin-top: 1.15rem; }
.sections section > figure, .sections section > .table { margin-top: 2rem; }
.sections section > h2 + *, .sections section > h3:first-child + * { margin-top: 0.9rem; }
.head > * { font-size: 2.1rem; letter-spacing: -0.01em; }
.head > .subtitle { font-size: 1.05rem; letter-spacing: 0; color: var(--soft); margin: 0.6rem 0 0; max-width: 46rem; overflow-wrap: anywhere; }
:host([embedded]) .head > :first-child { font-size: 1.5rem; }
section { padding-top: 2.6rem; scroll-margin-top: 0; }
section > :first-child { font-size: 1.45rem; outline-offset: 0.3rem; }
.figure-title, .table-title { font-size: 1.08rem; }
.table-title::before, .figure-title::before {
  font: 600 0.8rem/1 ${SANS}; color: var(--soft); margin-right: 0.6em; letter-spacing: 0.02em;
}
.table-title::before { counter-increment: table; content: "Table " counter(table); }
.figure-title::before { counter-increment: figure; content: "Figure " counter(figure); }
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
thead button { position: relative; }
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
bdi { unicode-bidi: isolate; }
.long { display: inline-block; vertical-align: top; max-width: 100%; }
.long summary { list-style: none; cursor: pointer; text-decoration: underline dotted; text-underline-offset: 3px; overflow-wrap: anywhere; }
.long summary::-webkit-details-marker { display: none; }
.whole { display: block; max-height: 14rem; max-width: 32rem; overflow-y: auto; overflow-wrap: anywhere; font-size: 0.82rem; padding: 0.3rem 0; white-space: pre-wrap; }

figure { margin: 0; }
.about { color: var(--soft); font-size: 0.92rem; max-width: 44rem; margin-top: 0.25rem; }
.plot { position: relative; margin-top: 0.6rem; }
.plot svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.plot .message { margin: 0; }
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
.zero { stroke: var(--soft); }
.band { fill: var(--band); }
.bar { fill: var(--bar); }
.bar.outlined { fill: revert-layer; stroke: var(--bar); }
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
.open { fill: var(--paper); stroke: var(--soft); stroke-width: 1.8; }
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
  nav { position: sticky; top: 0; padding-top: 2.9rem; margin: 0; max-height: 100vh; overflow-y: auto; }
  nav summary { list-style: none; font-weight: 600; cursor: default; pointer-events: none; }
  nav summary::-webkit-details-marker { display: none; }
  nav ol { padding-left: 1.3rem; }
  nav li { margin: 0.3rem 0; line-height: 1.35; }
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
  nav, button, input, .tip, .tools input, .pager button, .here { display: none !important; }
  .on-paper { display: block; }
  .on-paper:empty { display: none; }
  .table > .pager { display: none; }
  thead .on-paper, .more .on-paper { display: inline; }
  thead th { font-weight: 650; }
  thead { display: table-header-group; }
  h1, h2, h3, h4, .about, .key, .tone { break-after: avoid; }
  figure, tr, .aside, .code, .facts > div, .plot { break-inside: avoid; }
  section { padding-top: 1.6rem; }
  .scroller { overflow: visible; background: none; }
  .long summary { text-decoration: none; }
  tbody tr:hover { background: none; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .names li { transition: background-color 0.12s; }
}
`.replace(/([\d.]+)rem\b/g, "calc($1 * var(--unit))");

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

const STYLE_SHEET = sheetOf(STYLE);
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
      document.adoptedStyleSheets.push(AROUND_SHEET);
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
