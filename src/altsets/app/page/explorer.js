/*
 * explorer.js: <altsets-explorer> shows the sets for settings that people change, and asks for new ones as they do.
 *
 * Words and numbers come from Python as views: a banner, sets, charts, settings. All questions go through the property
 * `transport`, an object with `ask(message)` that promises a reply; without one, they go to the server of the page.
 * A message has a `route` ("ask", "wait", "cancel" or "download") besides what the route needs.
 *
 * The rules of altsets.js hold here as well: no package, no markup from data, no style attribute in markup. Python joins
 * both modules and the style sheet (STYLE_OF_EXPLORER) into one text, for a page and for a notebook.
 */

import { AROUND_SHEET, CHARTS, Figure, Page, Pager, STYLE_SHEET, blockOf, button, count, cut, download, el, fill, inUnits } from "./altsets.js";
import { labelOf, list, nameOf, numberText, prose, retell, sheetOf, tamed } from "./altsets.js";

const EXPLORER_SHEET = sheetOf(inUnits(STYLE_OF_EXPLORER));

/** Milliseconds that a question may take before a newer one is sent, so that quick answers are all drawn. */
const PATIENCE = 100;
/** Until something that takes longer is said to be going on, and until a wish is taken for the last one for now. */
const NOTICED = 500;
const IDLE = 250;
/** Changes of one control that follow each other faster than that are one step back, and addresses change no faster. */
const ONE_STEP = 700;
/** Features on a page of the list. */
const FEATURES_A_PAGE = 12;

const FEATURES = ["require", "forbid"];
const SETS = ["pinned", "rejected"];
/** Everything else in a state: one number or text each. */
const settingsOf = (state) => Object.keys(state).filter((name) => !FEATURES.includes(name) && !SETS.includes(name));

const FILES = { csv: "CSV", json: "JSON", report: "Report", python: "Python", command: "Command" };

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const without = (items, item) => items.filter((one) => !same(one, item));

// --- States and addresses --------------------------------------------------------------------------------------------

/** A state as the fragment of an address; `beside` is the one that it is compared with. */
function fragmentOf(state, beside) {
  const parts = new URLSearchParams();
  for (const name of settingsOf(state)) if (state[name] !== null) parts.append(name, state[name]);
  for (const name of FEATURES) for (const feature of state[name]) parts.append(name, feature);
  for (const name of SETS) for (const set of state[name]) parts.append(name, JSON.stringify(set));
  if (beside) parts.append("beside", fragmentOf(beside));
  return parts.toString();
}

/** What a fragment says, and the state to compare with; what it does not say is as in `start`. Throws a sentence. */
function readFragment(fragment, start) {
  const state = { ...start };
  for (const name of [...FEATURES, ...SETS]) state[name] = [];
  let beside = null;
  for (const [name, value] of new URLSearchParams(fragment)) {
    if (name === "beside") [beside] = readFragment(value, start);
    else if (FEATURES.includes(name)) state[name].push(value);
    else if (SETS.includes(name)) state[name].push(readSet(name, value));
    else if (!Object.hasOwn(start, name)) throw new Error(`The address has "${cut(name, 40)}", which is no setting.`);
    else state[name] = readSetting(name, value, start[name]);
  }
  return [state, beside];
}

function readSetting(name, text, atStart) {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  // A fraction such as 1/3 stays as it is.
  if (typeof atStart === "number" && text !== "max" && !/^\d+\/\d+$/.test(text)) {
    throw new Error(`The address has ${name}=${cut(text, 40)}, which is no number.`);
  }
  return text;
}

function readSet(name, text) {
  let set = null;
  try {
    set = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (Array.isArray(set) && set.length && set.every((feature) => typeof feature === "string")) return set;
  throw new Error(`The address has ${name}=${cut(text, 40)}, which is no list of features.`);
}

/** The steps so far, where there is no address: in a notebook. */
class OwnTrail {
  #fragments = [];
  #place = -1;

  constructor(changed) {
    this.changed = changed;
  }

  get fragment() {
    return this.#fragments[this.#place] ?? "";
  }

  get canUndo() {
    return this.#place > 0;
  }

  get canRedo() {
    return this.#place < this.#fragments.length - 1;
  }

  push(fragment) {
    this.#place += 1;
    this.#fragments.splice(this.#place, Infinity, fragment);
  }

  replace(fragment) {
    this.#fragments[Math.max(0, this.#place)] = fragment;
    this.#place = Math.max(0, this.#place);
  }

  step(by) {
    this.#place += by;
    this.changed();
  }

  close() {}
}

/** The steps so far as entries of the browser's history, so that back and forward are undo and redo. */
class AddressTrail {
  #life = new AbortController();

  constructor(changed) {
    this.changed = changed;
    addEventListener("popstate", () => this.#moved(), { signal: this.#life.signal });
    if (!Number.isInteger(history.state?.place)) this.#mark(0);
  }

  get fragment() {
    return location.hash.slice(1);
  }

  get #place() {
    return history.state?.place ?? 0;
  }

  /** The last entry is no property of the history, so it is kept beside it. */
  get #last() {
    return Number(sessionStorage.getItem("altsets-last")) || 0;
  }

  get canUndo() {
    return this.#place > 0;
  }

  get canRedo() {
    return this.#place < this.#last;
  }

  push(fragment) {
    const place = this.#place + 1;
    history.pushState({ place }, "", `#${fragment}`);
    sessionStorage.setItem("altsets-last", place);
  }

  replace(fragment) {
    history.replaceState({ place: this.#place }, "", `#${fragment}`);
  }

  step(by) {
    history.go(by);
  }

  close() {
    this.#life.abort();
  }

  #mark(place) {
    history.replaceState({ place }, "", location.href);
    sessionStorage.setItem("altsets-last", place);
  }

  /** Also an address that somebody has typed: a step after all others. */
  #moved() {
    if (!Number.isInteger(history.state?.place)) this.#mark(this.#last + 1);
    this.changed();
  }
}

// --- Questions -------------------------------------------------------------------------------------------------------

/** Asks the server that the page comes from, with the key that the page was given when it was opened for the first time. */
class Server {
  constructor() {
    const key = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
    if (key) {
      // For a reload, and for other tabs; other ports, which share cookies, do not share this.
      localStorage.setItem("altsets-key", key);
      history.replaceState(null, "", "/");
    }
  }

  async ask({ route, ...body }) {
    const headers = { "Content-Type": "application/json", "altsets-key": localStorage.getItem("altsets-key") ?? "" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`/api/${route}`, init);
    if (route === "download" && response.ok) {
      const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
      return { name: named?.[1] ?? "altsets", content: await response.blob() };
    }
    return response.json();
  }
}

const GONE = "The explorer does not answer. Is its program still running? Start it again, and open the address that it prints.";

/** Numbers questions, waits for what takes long, and drops replies that nobody wants any more. */
class Questions {
  #number = 0;

  constructor(transport) {
    this.transport = transport;
    // One for each page that is open: pages must not end each other's searches.
    this.client = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
  }

  async #send(message) {
    try {
      return await this.transport.ask({ client: this.client, ...message });
    } catch {
      return { error: this.transport.gone ?? GONE, finished: true, lost: true };
    }
  }

  /** Ask until there is a whole reply; `heard` gets those before, and says by `false` that they are not wanted. */
  async ask(verb, state, more = {}, heard = () => true) {
    this.#number += 1;
    const number = this.#number;
    let reply = await this.#send({ route: "ask", number, verb, state, with: more });
    while (!reply.error && !reply.superseded && !reply.finished) {
      if (heard(reply, number) === false) return { superseded: true };
      reply = await this.#send({ route: "wait", number });
    }
    return reply;
  }

  get next() {
    return this.#number + 1;
  }

  cancel(number) {
    return this.#send({ route: "cancel", number });
  }

  download(state, kind) {
    return this.#send({ route: "download", state, kind });
  }
}

// --- Controls --------------------------------------------------------------------------------------------------------

/** A setting with a number: a slider for what is usual, a field for the rest. */
class NumberControl {
  constructor(id, label, about, changed) {
    this.changed = changed;
    this.moving = false;
    this.range = el("input", { type: "range", id: `${id}-range`, "aria-label": label });
    this.field = el("input", { type: "number", id, "aria-describedby": `${id}-about` });
    const name = el("label", { for: id }, label);
    this.about = el("p", { class: "hint", id: `${id}-about` }, about);
    this.element = el("div", { class: "control" }, name, this.field, this.range, this.about);
    this.range.addEventListener("input", () => {
      this.moving = true;
      this.field.value = this.range.value;
      changed(Number(this.range.value));
    });
    this.range.addEventListener("change", () => (this.moving = false));
    this.field.addEventListener("change", () => {
      if (this.field.value !== "" && this.field.checkValidity()) changed(Number(this.field.value));
      else this.field.reportValidity();
    });
  }

  show(value, { low, high, slider = high, step = 1 }) {
    fill(this.range, { min: low, max: slider, step }, []);
    fill(this.field, { min: low, max: high, step: step === 1 ? 1 : "any" }, []);
    const number = typeof value === "string" ? fractionOf(value) : value;
    if (this.moving || number === null) return;
    this.range.value = number;
    this.field.value = typeof value === "string" ? number.toFixed(4) : number;
  }
}

function fractionOf(text) {
  const [over, under = "1"] = text.split("/");
  return Number(over) / Number(under);
}

/** A setting with some values, each in words. */
class ChoiceControl {
  constructor(id, label, changed) {
    this.select = el("select", { id, "aria-describedby": `${id}-about` });
    this.about = el("p", { class: "hint", id: `${id}-about` });
    this.element = el("div", { class: "control" }, el("label", { for: id }, label), this.select, this.about);
    this.select.addEventListener("change", () => changed(this.select.value));
  }

  show(value, choices, about = "") {
    const known = list(choices);
    if (!same(known, this.known)) {
      this.known = known;
      this.select.replaceChildren(...known.map(([name, words]) => el("option", { value: name }, words)));
    }
    this.element.hidden = known.length < 2;
    this.select.value = value ?? "";
    this.about.textContent = tamed(about);
    this.about.hidden = !about;
  }
}

class Controls {
  constructor(changed) {
    const number = (name, label, about) => new NumberControl(name, label, about, (value) => changed({ [name]: value }));
    const choice = (name, label) => new ChoiceControl(name, label, (value) => changed({ [name]: value || null }));
    this.size = number("n_features", "Features per set", "");
    this.sets = new NumberControl("n_sets", "Sets", "", (value) => changed({ n_alternatives: value - 1 }));
    this.tau = number("tau", "tau", "0: sets may be equal, 1: they share nothing");
    this.quality = choice("quality", "Quality");
    this.search = choice("search", "Search");
    this.aggregation = choice("aggregation", "Make large");
    this.distinct = choice("distinct", "What counts as the same feature");
    this.within = new ChoiceControl("within", "Good enough", (value) => changed({ within: value ? Number(value) : null }));
    this.goal = new ChoiceControl("goal", "Look for", (value) => changed(this.asked(value)));
    const elements = (...controls) => controls.map((one) => one.element);
    const sliders = el("div", { class: "sliders" }, ...elements(this.size, this.sets, this.tau));
    const further = elements(this.goal, this.within, this.quality, this.search, this.aggregation, this.distinct);
    // On a phone there is no room for all of them above the sets.
    const open = matchMedia("(min-width: 960px)").matches;
    const fold = el("details", { class: "further", open }, el("summary", {}, "More settings"), ...further);
    this.element = el("form", { class: "controls", "aria-label": "Settings" }, sliders, fold);
    this.element.addEventListener("submit", (event) => event.preventDefault());
  }

  get moving() {
    return [this.size, this.sets, this.tau].some((one) => one.moving);
  }

  /** The settings for a goal: the largest tau, the largest number of sets, or neither. */
  asked(goal) {
    const { tau, n_alternatives, within } = this.numbers;
    if (goal === "tau") return { tau: "max", n_alternatives, within: within ?? 0.05 };
    return { tau, n_alternatives: goal === "n_sets" ? "max" : n_alternatives };
  }

  show(state, settings) {
    const { tau = 0.5, n_alternatives = 3 } = this.numbers ?? {};
    this.numbers = {
      tau: state.tau === "max" ? tau : state.tau,
      n_alternatives: state.n_alternatives === "max" ? n_alternatives : state.n_alternatives,
      within: state.within,
    };
    this.size.show(state.n_features, settings.n_features);
    this.sets.show(this.numbers.n_alternatives + 1, settings.n_sets);
    this.tau.show(this.numbers.tau, settings.tau);
    this.sets.element.hidden = state.n_alternatives === "max";
    this.tau.element.hidden = state.tau === "max";
    this.goal.show(state.tau === "max" ? "tau" : state.n_alternatives === "max" ? "n_sets" : "", settings.goal);
    this.within.show(state.within, settings.within);
    this.quality.show(state.quality, settings.quality, settings.about?.quality);
    this.search.show(state.search, settings.search);
    this.aggregation.show(state.aggregation, settings.aggregation);
    this.aggregation.element.hidden = state.search !== "simultaneous";
    this.distinct.show(state.distinct, settings.distinct);
  }
}

// --- Features --------------------------------------------------------------------------------------------------------

/** All features by their scores: searched and paged here, since a wide table has more than a page can list. */
class FeatureList {
  constructor(choose) {
    this.choose = choose;
    this.catalog = { quality: undefined, names: [], scores: null, total: 0 };
    this.query = "";
    this.search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search features" });
    this.search.addEventListener("input", () => {
      this.query = this.search.value.trim().toLowerCase();
      this.pager.page = 0;
      this.draw();
    });
    this.pager = new Pager("features", () => this.draw());
    this.items = el("ul", { class: "features" });
    this.note = el("p", { class: "hint" });
    this.element = el("div", {}, this.search, this.items, this.note, this.pager.element);
    this.marks = new Map();
  }

  show(catalog, state) {
    if (catalog) {
      this.catalog = catalog;
      this.lower = null;
      const missing = catalog.total - catalog.names.length;
      this.note.textContent = missing > 0 ? `The ${count(catalog.names.length)} best of ${count(catalog.total)} are listed.` : "";
    }
    this.marks = new Map([...state.require.map((name) => [name, "required"]), ...state.forbid.map((name) => [name, "forbidden"])]);
    this.draw();
  }

  /** Numbers of the features that match. */
  matching() {
    const { names } = this.catalog;
    if (!this.query) return names.map((_, place) => place);
    this.lower ??= names.map((name) => name.toLowerCase());
    return this.lower.flatMap((name, place) => (name.includes(this.query) ? [place] : []));
  }

  draw() {
    const found = this.matching();
    this.pager.update(found.length, FEATURES_A_PAGE);
    const shown = found.slice(this.pager.from, this.pager.to);
    const active = this.items.getRootNode().activeElement?.dataset?.feature;
    this.items.replaceChildren(...shown.map((place) => this.item(place)));
    if (!shown.length) this.items.append(el("li", { class: "muted" }, "No feature matches."));
    if (active !== undefined) this.items.querySelector(`[data-feature="${active}"]`)?.focus();
  }

  item(place) {
    const name = this.catalog.names[place];
    const mark = this.marks.get(name);
    const score = this.catalog.scores ? numberText(this.catalog.scores[place], 3) : "";
    const press = button(el("bdi", {}, cut(labelOf(name), 60)), () => this.choose(name), { "data-feature": place });
    return el("li", {}, press, mark ? el("span", { class: `mark ${mark}` }, mark) : null, el("span", { class: "score" }, score));
  }
}

/** What can be done with a feature; what stands in for it is told in the same place. */
class FeatureDialog {
  constructor(explorer) {
    this.explorer = explorer;
    this.head = el("h2", { id: "feature-name", tabindex: -1 });
    this.actions = el("div", { class: "actions" });
    this.said = el("div", { class: "said", role: "status" });
    const close = button("Close", () => this.element.close(), { class: "close" });
    this.element = el("dialog", { "aria-labelledby": "feature-name" }, this.head, this.actions, this.said, close);
    // A click beside it.
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
  }

  open(feature) {
    const { require, forbid } = this.explorer.state;
    this.feature = feature;
    this.head.replaceChildren(nameOf(feature, 120));
    const act = (label, change) =>
      button(label, () => {
        this.element.close();
        this.explorer.change(change);
      });
    const free = { require: without(require, feature), forbid: without(forbid, feature) };
    const required = require.includes(feature);
    const forbidden = forbid.includes(feature);
    this.actions.replaceChildren(
      required ? act("No longer require", free) : act("Require in every set", { ...free, require: [...free.require, feature] }),
      forbidden ? act("Allow again", free) : act("Forbid", { ...free, forbid: [...free.forbid, feature] }),
      button(this.explorer.view?.sets.at(0)?.features.includes(feature) ? "What stands in for it?" : "What is it worth?", () => this.ask()),
    );
    this.said.replaceChildren();
    if (!this.element.open) this.element.showModal();
  }

  async ask() {
    const { feature } = this;
    this.said.replaceChildren(el("p", { class: "muted" }, "Searching …"));
    const reply = await this.explorer.aside("stand_in", { feature });
    if (feature !== this.feature) return;
    const words = reply.error ? [reply.error] : list(reply.view?.words);
    const said = words.length ? words : ["Something newer was asked for, so there is no answer."];
    this.said.replaceChildren(...said.map((sentence) => prose(el("p"), sentence)));
  }
}

// --- The explorer ----------------------------------------------------------------------------------------------------

class Explorer {
  constructor(root, transport, { embedded }) {
    Object.assign(this, { root, embedded, state: null, view: null, beside: null, start: null, wanted: null, missed: null, asking: 0 });
    this.questions = new Questions(transport);
    this.page = new Page(root, { embedded, inside: false });
    this.page.level = embedded ? 2 : 1;
    this.figures = new Map();
    this.trail = new (embedded ? OwnTrail : AddressTrail)(() => this.follow());
    this.build();
    this.begin();
  }

  close() {
    this.trail.close();
    this.page.close();
    clearTimeout(this.noticing);
    clearTimeout(this.idling);
    clearTimeout(this.speaking);
  }

  // --- What is on the page ---

  build() {
    const h = (level, text, attributes) => el(`h${this.page.level + level}`, attributes, text);
    this.title = h(0, "Explore feature sets");
    this.subtitle = el("p", { class: "subtitle" });
    this.controls = new Controls((change) => this.change(change, Object.keys(change)[0]));
    this.features = new FeatureList((feature) => this.dialog.open(feature));
    this.dialog = new FeatureDialog(this);
    this.voice = el("p", { class: "voice", role: "status" });
    this.trouble = el("div", { class: "trouble", role: "alert" });
    this.said = el("div", { class: "verdict" });
    this.working = el("div", { class: "working", hidden: true });
    this.asked = el("p", { class: "asked" });
    this.conditions = el("ul", { class: "conditions", "aria-label": "Conditions" });
    this.sets = el("ol", { class: "sets", "aria-labelledby": "sets-title" });
    this.charts = el("div", { class: "charts" });
    this.curve = el("p", { class: "hint" });
    this.comparison = el("section", { class: "panel", hidden: true, "aria-label": "Comparison" });
    this.evaluation = el("section", { class: "panel", hidden: true, "aria-label": "Predictions" });
    // Nothing can be changed before there is something.
    this.panel = el("aside", { "aria-label": "Settings and features", inert: true }, this.controls.element);
    this.panel.append(el("details", { class: "all-features" }, el("summary", {}, "All features"), this.features.element));
    const main = el(this.embedded ? "div" : "main", { class: "answer" });
    main.append(this.trouble, this.said, this.working, this.tools());
    main.append(h(1, "The sets", { id: "sets-title" }), this.asked, this.conditions, this.sets);
    main.append(this.comparison, this.evaluation, this.charts, this.curve);
    const head = el(this.embedded ? "div" : "header", { class: "head" }, this.title, this.subtitle);
    this.main = main;
    this.root.replaceChildren(el("div", { class: "page explorer" }, head, this.panel, main), this.dialog.element, this.voice);
    this.root.addEventListener("choose", (event) => this.dialog.open(event.detail.item));
  }

  tools() {
    this.undo = button("Undo", () => this.move(-1));
    this.redo = button("Redo", () => this.move(1));
    const more = button("One more set", () => {
      const { n_alternatives } = this.state;
      if (n_alternatives !== "max") this.change({ n_alternatives: n_alternatives + 1 });
    });
    this.compare = button("Compare from here", () => this.keep(), { "aria-pressed": "false" });
    this.test = button("Test predictions", () => this.evaluate());
    const files = Object.entries(FILES).map(([kind, label]) => button(label, () => this.save(kind)));
    const saving = el("div", { class: "files", role: "group", "aria-label": "Download" }, el("span", {}, "Download"), ...files);
    this.bar = el("div", { class: "tools bar-of-tools", inert: true });
    this.bar.append(this.undo, this.redo, more, this.compare, this.test, saving);
    return this.bar;
  }

  // --- Where we are and where we go ---

  async begin() {
    // The start first: an address may leave settings out, or be wrong.
    const reply = await this.questions.ask("answer", null, {}, (early, number) => {
      if (!this.start || this.shows(early.state)) this.hear(early, number);
      // Settings can be changed as soon as there is something to see.
      if (!this.start && early.view?.banner) this.know(early);
      return true;
    });
    if (reply.superseded && this.embedded && !this.start) {
      this.begin();
      return;
    }
    if (reply.superseded || (this.start && !this.shows(reply.state ?? this.aim))) return;
    if (reply.error) this.complain(reply.error, () => this.begin());
    else if (this.start) this.arrive(reply);
    else this.know(reply);
  }

  /** What the settings are at the start; then on to where the address says. */
  know(reply) {
    const { fragment } = this.trail;
    this.start = this.state = this.aim = reply.state;
    if (fragment) this.follow(reply);
    else if (reply.finished) this.arrive(reply);
    if (this.missed) this.join(this.missed);
  }

  /** Whether nothing but this state is shown and wanted. */
  shows(state) {
    return !this.asking && !this.wanted && same(state, this.aim);
  }

  /** To where the address says. Where that cannot be, to where we were. */
  follow(otherwise = null) {
    if (!this.start) return;
    try {
      const [state, beside] = readFragment(this.trail.fragment, this.start);
      this.beside = beside;
      this.go(state, otherwise);
    } catch (wrong) {
      this.refuse(`${wrong.message} It was left aside.`, otherwise);
    }
  }

  /** From an address or a setting that cannot be: say so, and show what was there before. */
  refuse(sentence, otherwise) {
    if (otherwise) {
      this.beside = null;
      this.arrive(otherwise);
    }
    this.trail.replace(fragmentOf(this.state, this.beside));
    this.showState();
    this.complain(sentence);
  }

  move(by) {
    if (by < 0 ? this.trail.canUndo : this.trail.canRedo) this.trail.step(by);
  }

  /** Change some settings; quick changes of the same control are one step. */
  change(change, control = null) {
    const state = { ...(this.wanted?.state ?? this.aim ?? this.state), ...change };
    if (!this.state || same(state, this.aim ?? this.state)) return;
    this.note(state, control);
    this.go(state);
  }

  note(state, control) {
    const now = performance.now();
    const one = control && control === this.noted?.control && now - this.noted.time < ONE_STEP;
    clearTimeout(this.noting);
    this.noting = null;
    const fragment = fragmentOf(state, this.beside);
    // Browsers refuse addresses that change with every pixel.
    if (one) this.noting = setTimeout(() => this.settle(), ONE_STEP / 2);
    else this.trail.push(fragment);
    this.noted = { control, time: now };
    this.showSteps();
  }

  /** The address says what is shown, in full, also where somebody has typed another one. */
  settle() {
    this.noting = null;
    const fragment = fragmentOf(this.aim ?? this.state, this.beside);
    if (fragment !== this.trail.fragment) this.trail.replace(fragment);
  }

  /** Show where the session is now, which may be further on than this state when the question arrives. */
  join(state) {
    // The first answer may be on its way, and older.
    this.missed = this.state ? null : state;
    if (!this.state || same(state, this.aim ?? this.state)) return;
    this.note(state, null);
    this.aim = state;
    this.wanted = { state: null, otherwise: null };
    this.send();
  }

  go(state, otherwise = null) {
    this.aim = state;
    this.wanted = { state, otherwise };
    this.send();
  }

  /** Send the last wish, as soon as the one before is answered or takes too long to wait for. */
  async send() {
    clearTimeout(this.sending);
    if (!this.wanted) return;
    const passed = performance.now() - this.asked_at;
    if (this.asking && passed < PATIENCE) {
      this.sending = setTimeout(() => this.send(), PATIENCE - passed);
      return;
    }
    const { state, otherwise } = this.wanted;
    this.wanted = null;
    this.asked_at = performance.now();
    this.asking = this.questions.next;
    const number = this.asking;
    clearTimeout(this.idling);
    this.notice(number);
    const mine = (early) => number === this.asking && this.hear(early, number);
    const reply = await this.questions.ask("answer", state, this.having, mine);
    if (number !== this.asking || (reply.superseded && !this.embedded)) return;
    this.asking = 0;
    if (reply.superseded) {
      // Another page of this notebook has led the session elsewhere: go there as well.
      this.wanted ??= { state: null, otherwise: null };
      this.send();
      return;
    }
    this.rest();
    if (reply.error) {
      this.aim = this.state;
      if (reply.lost) this.complain(reply.error, () => this.go(state, otherwise));
      else this.refuse(reply.error, otherwise);
    } else this.arrive(reply);
    this.send();
  }

  /** Which scores are here already. */
  get having() {
    const { quality } = this.features.catalog;
    return quality === undefined ? {} : { scores_of: quality };
  }

  /** The best so far. */
  hear(reply, number = 0) {
    if (reply.view) {
      if (reply.view.banner) this.show(reply.view, reply.state ?? this.aim);
      this.working.replaceChildren(...list(reply.view.words).map((words) => prose(el("p"), words)));
    }
    this.busy(number);
    return true;
  }

  arrive(reply) {
    this.state = reply.state;
    if (!this.wanted) this.aim = reply.state;
    this.trouble.replaceChildren();
    this.show(reply.view, reply.state);
    this.rest();
    if (!this.noting) this.settle();
    this.idling = setTimeout(() => this.background(), IDLE);
  }

  // --- What takes longer ---

  notice(number) {
    clearTimeout(this.noticing);
    this.noticing = setTimeout(() => this.busy(number), NOTICED);
  }

  busy(number) {
    this.main.setAttribute("aria-busy", "true");
    this.working.hidden = false;
    this.stopper?.remove();
    this.stopper = number ? button("Stop and keep the best", () => this.questions.cancel(number)) : null;
    if (!this.working.firstChild) this.working.append(el("p", {}, "Searching …"));
    if (this.stopper) this.working.append(this.stopper);
  }

  rest() {
    clearTimeout(this.noticing);
    this.main.removeAttribute("aria-busy");
    this.working.hidden = true;
    this.working.replaceChildren();
  }

  /** When nobody changes anything: the comparison and the frontier. */
  async background() {
    const asked = this.state;
    const current = () => asked === this.state && !this.asking && !this.wanted;
    if (this.beside && !same(this.compared, [asked, this.beside])) {
      const reply = await this.aside("compare", { other: this.beside }, current);
      if (!current()) return;
      if (reply.view) {
        this.compared = [asked, this.beside];
        this.showComparison(reply.view);
      }
    } else if (!this.beside) this.comparison.hidden = true;
    if (same(this.curved, asked)) return;
    const reply = await this.aside("frontier", {}, current);
    if (!current() || !reply.view) return;
    this.curved = asked;
    this.showFrontier(reply.view);
  }

  /** A question besides the answer; it gives way to changes. */
  aside(verb, more, wanted = () => true) {
    return this.questions.ask(verb, this.state, more, wanted);
  }

  keep() {
    this.beside = this.beside ? null : this.state;
    this.trail.replace(fragmentOf(this.state, this.beside));
    this.showSteps();
    this.background();
  }

  async evaluate() {
    const asked = this.state;
    const mine = (this.testing = {});
    const bar = el("progress", { max: 1, "aria-label": "Progress of the test" });
    const said = el("p", {}, "Fitting models to the sets …");
    let number = 0;
    const stop = button("Stop", () => this.questions.cancel(number));
    this.showPanel(this.evaluation, "How well the sets predict", [said, bar, stop]);
    const reply = await this.questions.ask("evaluate", asked, {}, (early, asking) => {
      number = asking;
      if (early.view?.share !== undefined) bar.value = early.view.share;
      said.textContent = list(early.view?.words)[0] ?? said.textContent;
      return mine === this.testing;
    });
    if (mine !== this.testing) return;
    const words = reply.error ? [reply.error] : list(reply.view?.words);
    const blocks = list(reply.view?.blocks);
    this.tested = asked;
    this.decisions = list(reply.view?.decisions);
    this.showSaid();
    this.showPanel(this.evaluation, "How well the sets predict", words.map((one) => prose(el("p"), one)), blocks);
  }

  async save(kind) {
    const reply = await this.questions.download(this.state, kind);
    if (reply.error) this.complain(reply.error);
    else download(reply.name, reply.content, "application/octet-stream");
  }

  // --- Drawing ---

  show(view, state) {
    this.view = view;
    for (const part of [this.panel, this.bar]) part.inert = false;
    this.title.textContent = view.title;
    retell(this.subtitle, view.subtitle);
    this.showSaid();
    retell(this.asked, view.asked);
    if (!this.controls.moving && !this.wanted) this.controls.show(state, view.settings);
    this.features.show(view.catalog, state);
    this.showConditions(state);
    this.showSets(view, state);
    this.showCharts(view.blocks);
    this.showSteps();
    this.speak(view.spoken);
    const stale = this.tested && !same(this.tested, state);
    this.evaluation.classList.toggle("stale", Boolean(stale));
    // For pages around this one, and to measure it.
    this.root.host.dispatchEvent(new CustomEvent("shown", { detail: { state } }));
  }

  /** Decisions if these sets were tested, then what was found. */
  showSaid() {
    const { banner, cautions, details } = this.view;
    const decided = this.tested && same(this.tested, this.state) ? list(this.decisions) : [];
    const said = [...decided, banner, cautions].filter(Boolean).map((block) => blockOf(this.page, block));
    this.said.replaceChildren(...said);
    if (list(details).length) this.said.append(this.details(details));
  }

  /** One sentence for each set, which stay open if they are. */
  details(sentences) {
    const fold = el("details", { open: this.unfolded }, el("summary", {}, "Each set in words"));
    fold.append(...sentences.map((sentence) => prose(el("p"), sentence)));
    fold.addEventListener("toggle", () => (this.unfolded = fold.open));
    return fold;
  }

  /** The settings that are in force, wherever the controls are. */
  showState() {
    if (!this.view) return;
    this.controls.show(this.state, this.view.settings);
    this.showSteps();
  }

  showSteps() {
    const set = (made, on) => made.setAttribute("aria-disabled", String(!on));
    set(this.undo, this.trail.canUndo);
    set(this.redo, this.trail.canRedo);
    this.compare.setAttribute("aria-pressed", String(Boolean(this.beside)));
    this.compare.textContent = this.beside ? "Stop comparing" : "Compare from here";
  }

  /** Only what stays: a slider on its way says nothing. */
  speak(sentence) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => (this.voice.textContent = tamed(sentence)), 2 * IDLE);
  }

  complain(sentence, again = null) {
    const retry = again ? button("Try again", () => (this.trouble.replaceChildren(), again())) : null;
    const dismiss = button("Dismiss", () => this.trouble.replaceChildren());
    this.rest();
    this.trouble.replaceChildren(el("div", { class: "aside warning" }, prose(el("p"), sentence), retry, again ? null : dismiss));
  }

  showConditions(state) {
    const chip = (label, names, change, title) => {
      const words = el("bdi", {}, cut(names.map(labelOf).join(", "), 80));
      const press = button("×", () => this.change(change()), { "aria-label": title });
      return el("li", {}, el("span", { class: "muted" }, `${label} `), words, press);
    };
    const features = (name, label) =>
      state[name].map((one) => chip(label, [one], () => ({ [name]: without(this.state[name], one) }), `Allow ${cut(one, 60)}`));
    const rejected = state.rejected.map((set) =>
      chip("rejected", set, () => ({ rejected: without(this.state.rejected, set) }), `Allow ${cut(set.join(", "), 60)}`),
    );
    this.conditions.replaceChildren(...features("require", "required"), ...features("forbid", "forbidden"), ...rejected);
    this.conditions.hidden = !this.conditions.firstChild;
  }

  showSets(view, state) {
    const key = [view.sets, state.require, state.pinned];
    if (same(key, this.shownSets)) return;
    this.shownSets = key;
    const active = this.root.activeElement?.dataset?.key;
    this.sets.replaceChildren(...view.sets.map((set) => this.setItem(set, state)));
    this.sets.hidden = !view.sets.length;
    if (active) this.root.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus();
  }

  setItem(set, state, still = false) {
    const share = set.share === null ? "" : ` · ${numberText(set.share, 3)} %`;
    const head = el("p", { class: "set-head" }, el("strong", {}, set.label), el("span", { class: "set-quality" }, `${numberText(set.quality, 5)}${share}`));
    const sure = el("p", { class: "hint" }, set.certainty);
    if (still) return el("li", {}, head, el("ul", { class: "names" }, ...set.features.map((name) => el("li", {}, nameOf(name)))), sure);
    const tag = (name, place) => {
      const kind = state.require.includes(name) ? "required" : null;
      const press = button(el("bdi", {}, cut(labelOf(name), 48)), () => this.dialog.open(name), { class: kind, "data-key": `${set.label} ${place}` });
      return el("li", {}, press);
    };
    const names = el("ul", { class: "names" }, ...set.features.map(tag));
    const press = (label, what, change) => button(label, () => this.change(change()), { "data-key": `${set.label} ${what}`, "aria-label": `${label} ${set.label}` });
    const { features } = set;
    const actions = set.pinned
      ? [press("Unpin", "pin", () => ({ pinned: without(this.state.pinned, features) }))]
      : [
          press("Pin", "pin", () => this.pinning(features)),
          press("Reject", "reject", () => ({ rejected: [...this.state.rejected, features] })),
        ];
    return el("li", { class: set.pinned ? "pinned" : null }, head, names, el("div", { class: "actions" }, sure, ...actions));
  }

  /** Pinned sets count: one more is asked for where no other would be left to search for. */
  pinning(features) {
    const pinned = [...this.state.pinned, features];
    const { n_alternatives } = this.state;
    return { pinned, n_alternatives: n_alternatives === "max" ? "max" : Math.max(n_alternatives, pinned.length) };
  }

  showCharts(blocks) {
    const here = new Set(list(blocks).map((block) => block.id));
    for (const block of list(blocks)) this.showFigure(block, this.charts);
    for (const [id, figure] of this.figures) if (id !== "frontier") figure.element.hidden = !here.has(id);
  }

  showFigure(block, place) {
    const known = this.figures.get(block.id);
    if (known) {
      known.element.hidden = false;
      if (!same(known.block, block)) known.update(block);
      return;
    }
    const figure = new Figure(this.page, block, new CHARTS[block.chart](block));
    this.figures.set(block.id, figure);
    place.append(figure.element);
    figure.resize(figure.plot.clientWidth || 600);
  }

  showFrontier(view) {
    const [block] = list(view.blocks);
    if (block) this.showFigure(block, this.charts);
    else if (this.figures.has("frontier")) this.figures.get("frontier").element.hidden = true;
    retell(this.curve, block ? "" : list(view.words).join(" "));
  }

  /** Something that is replaced as a whole, with watchers of its own. */
  showPanel(panel, title, content, blocks = []) {
    panel.page?.close();
    panel.page = new Page(this.root, { embedded: this.embedded, inside: true });
    panel.page.level = this.page.level;
    panel.hidden = false;
    panel.replaceChildren(el(`h${this.page.level + 1}`, {}, title), ...content);
    panel.page.width = panel.clientWidth || 680;
    panel.append(...blocks.map((block) => blockOf(panel.page, block)));
  }

  showComparison(view) {
    const side = (one, title) => {
      const sets = el("ol", { class: "sets" }, ...one.sets.map((set) => this.setItem(set, this.state, true)));
      return el("div", { class: "side" }, el(`h${this.page.level + 2}`, {}, title), prose(el("p", { class: "asked" }), one.asked), sets);
    };
    const [before, now] = list(view.sides);
    const sides = el("div", { class: "sides" }, side(before, "Before"), side(now, "Now"));
    const back = button("Go back to these settings", () => this.change(this.beside));
    sides.firstChild.append(back);
    const words = list(view.words).map((sentence) => prose(el("p"), sentence));
    this.showPanel(this.comparison, "Two settings side by side", [...words, sides], list(view.blocks));
  }
}

// --- The element -----------------------------------------------------------------------------------------------------

class AltsetsExplorer extends HTMLElement {
  #explorer = null;

  connectedCallback() {
    const embedded = this.hasAttribute("embedded");
    if (!this.shadowRoot) {
      this.attachShadow({ mode: "open" });
      this.shadowRoot.adoptedStyleSheets = [STYLE_SHEET, EXPLORER_SHEET];
    }
    if (!embedded && !document.adoptedStyleSheets.includes(AROUND_SHEET)) {
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, AROUND_SHEET];
    }
    this.#explorer = new Explorer(this.shadowRoot, this.transport ?? new Server(), { embedded });
  }

  disconnectedCallback() {
    this.#explorer?.close();
    this.#explorer = null;
  }

  /** Show the state to which somebody else has led the session, as a step that can be taken back. */
  join(state) {
    this.#explorer?.join(state);
  }
}

if (!customElements.get("altsets-explorer")) customElements.define("altsets-explorer", AltsetsExplorer);

/** Milliseconds that a notebook may take for a reply; files take as long as they take. */
const NOTEBOOK_PATIENCE = 15000;

/**
 * For a notebook: messages go through the model of the widget, and come back with the mark of the question. All views of
 * a model hear all replies, and the state of the session when something else than this view has changed it.
 */
class Notebook {
  #waiting = new Map();
  #sent = 0;

  constructor(model, { alive, moved }) {
    this.model = model;
    this.gone = "The notebook does not answer. Its kernel may be busy, or no longer running; run the cell again if it is not.";
    this.heard = ({ id, reply, state, by }) => {
      if (id !== undefined) {
        this.#waiting.get(id)?.(reply);
        this.#waiting.delete(id);
        alive();
      } else if (by !== this.client) moved(state);
    };
    model.on("msg:custom", this.heard);
  }

  ask(message) {
    this.client = message.client;
    this.#sent += 1;
    const id = `${this.client} ${this.#sent}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      if (message.route !== "download") setTimeout(() => this.#waiting.delete(id) && reject(new Error("no reply")), NOTEBOOK_PATIENCE);
      this.model.send({ id, message });
    });
  }

  close() {
    this.model.off("msg:custom", this.heard);
  }
}

function render({ model, el: place }) {
  const explorer = document.createElement("altsets-explorer");
  explorer.setAttribute("embedded", "");
  // Exported notebooks show a picture, which stands in the same cell; a page that works is better.
  const alive = () => document.getElementById(model.get("picture"))?.setAttribute("hidden", "");
  const transport = new Notebook(model, { alive, moved: (state) => explorer.join(state) });
  explorer.transport = transport;
  place.append(explorer);
  return () => {
    transport.close();
    explorer.remove();
  };
}

export default { render };
