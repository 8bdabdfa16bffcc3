// The page follows the events of the harness: docs/live.md describes them.
import { distribution, element, lines, number, time } from "./chart.js";

const at = (id) => document.getElementById(id);
let runs, chosen, drawn, title, notes;

function reset() {
  runs = new Map();
  chosen = 0; // follow the run under way
  title = "Plumbline";
  notes = [];
}

function run(n) {
  if (!runs.has(n)) runs.set(n, { run: n, start: {}, points: [], phase: "" });
  return runs.get(n);
}

const heard = {
  begin: (e) => { reset(); title = "Plumbline " + (e.begin.harness.version || ""); },
  plan: (e) => e.plan.runs.forEach((p) => Object.assign(run(p.run), p)),
  open: (e) => { run(e.run).workload = e.open.workload; },
  start: (e) => { run(e.run).start = e.start; run(e.run).phase = "loading"; },
  progress: (e) => {
    const r = run(e.run), w = e.progress.window;
    r.phase = e.progress.phase;
    r.progress = e.progress;
    if (r.from === undefined && e.progress.issued > 0) r.from = w.from_s;
    if (r.from !== undefined) r.points.push({ ...w, at: w.to_s - r.from, outstanding: e.progress.outstanding });
  },
  distribution: (e) => { run(e.run).buckets = e.distribution.buckets; },
  result: (e) => { run(e.run).result = e.result; },
  note: (e) => { notes.push(e.note.text); },
  end: (e) => {
    if (e.end.error) notes.push(e.end.error);
    finish(`ended: ${e.end.outcome}`, e.end.exit_code === 0);
  },
};

function current() {
  if (chosen) return runs.get(chosen);
  const begun = [...runs.values()].filter((r) => r.phase || r.result);
  return begun.at(-1) || runs.values().next().value;
}

function verdict(r) {
  if (!r.result) return [r.phase || "to come", ""];
  const good = r.result.exit_code === 0;
  const m = r.result.performance?.metric;
  const figure = m ? ` ${m.rounded} ${m.unit}` : "";
  const accuracy = (r.result.accuracy?.metrics || []).map((a) => ` ${a.rounded} ${a.unit}`).slice(0, 1).join("");
  return [(r.result.verdict || r.result.status) + figure + accuracy, good ? "good" : "bad"];
}

function list() {
  const now = current(), focused = document.activeElement?.dataset?.run;
  at("runs").replaceChildren(...[...runs.values()].map((r) => {
    const [text, kind] = verdict(r);
    const button = element("button", { type: "button", "data-run": r.run, "aria-current": String(r === now) },
      element("bdi", { dir: "auto" }, r.name || ""), element("small", { class: kind }, text));
    button.addEventListener("click", () => { chosen = r.run; draw(); });
    return element("li", {}, button);
  }));
  if (focused) at("runs").querySelector(`[data-run="${Number(focused)}"]`)?.focus();
}

function figures(r) {
  const p = r.progress;
  if (!p) return [];
  const out = [["elapsed", number(p.elapsed_s) + " s"]];
  if (p.remaining_s && !r.result) out.push(["remaining", "about " + number(p.remaining_s) + " s"]);
  out.push(["samples done", number(p.done)]);
  if (!r.result) out.push(["outstanding", number(p.outstanding)], ["samples/s", number(p.window.samples_per_s)]);
  if (p.tokens) out.push(["tokens", number(p.tokens)]);
  if (p.tokens) out.push(["tokens/s", number(r.result ? p.tokens / p.elapsed_s : p.window.tokens_per_s)]);
  if (p.over_limit) out.push(["above the limit", number(p.over_limit)]);
  return out;
}

// percentileRows are the rows of the percentiles: of the run so far and, while it goes on, of its last half second.
function percentileRows(r) {
  const p = r.progress, rows = [];
  if (!p) return rows;
  const judged = 100 * (r.start.percentile || 0);
  const columns = [["p50", "p50_ns"], ["p90", "p90_ns"], ["p99", "p99_ns"], ["largest", "max_ns"]];
  if (judged && ![50, 90, 99].includes(judged)) columns.splice(3, 0, ["p" + number(judged), "target_ns"]);
  const names = [["latency", "latency"], ["query latency", "query_latency"], ["TTFT", "ttft"], ["TPOT", "tpot"]];
  for (const [name, of] of names)
    for (const [when, t] of [["the run so far", p[of]], ["last half second", r.result ? null : p.window[of]]])
      if (t) rows.push([`${name}, ${r.result ? "the whole run" : when}`, ...columns.map(([, key]) => known(t, key))]);
  return rows.length ? [["", ...columns.map(([word]) => word)], ...rows] : [];
}

// known words a percentile, or says that the values are too few for it.
function known(t, key) {
  return t.too_few?.includes(key) ? "too few" : time(t[key]);
}

// judged are the facts of a run, [what, value].
function judged(r) {
  const s = r.start, w = r.workload || {}, at = `at the ${number(100 * s.percentile)}th percentile`;
  const facts = [["model", w.model_file], ["precision", w.precision], ["backend", w.backend], ["data", w.dataset],
    ["the server's model", w.backend_info?.model]].filter(([, value]) => typeof value === "string" && value);
  if (s.latency_limit_ns) facts.push(["latency limit", `${time(s.latency_limit_ns)} ${at}`]);
  if (s.ttft_limit_ns) facts.push(["TTFT limit", time(s.ttft_limit_ns)], ["TPOT limit", time(s.tpot_limit_ns)]);
  if (s.min_duration_s) facts.push(["least duration", number(s.min_duration_s) + " s"]);
  if (s.min_queries) facts.push(["least queries", number(s.min_queries)]);
  for (const why of r.result?.reasons || []) facts.push([why.rule, `${why.measured}, needed ${why.needed}`]);
  return facts;
}

// banner is what nobody should overlook in a run: that it can only end INVALID, or did.
function banner(r) {
  if (r.result) return r.result.exit_code === 0 ? "" : "✗ " + (r.result.verdict || r.result.status);
  return r.progress?.hopeless ? "✗ Can only end INVALID: " + r.progress.hopeless : "";
}

// percentiles are the lines of times. The largest lies below, broad and pale: with few values in half a second it is the
// same as the percentile that counts, which is drawn on top.
function percentiles(r, of) {
  const target = r.start.percentile;
  const points = r.points.filter((p) => p[of]);
  const line = (key) => points.map((p) => [p.at, p[of][key]]);
  return [{ name: "largest", kind: "2", points: line("max_ns") }, { name: "p50", kind: "0", points: line("p50_ns") },
    { name: target ? "p" + number(100 * target) : "p99", kind: "1", points: line(target ? "target_ns" : "p99_ns") }];
}

function charts(r) {
  const s = r.start, over = (key) => [{ name: "", kind: "0", points: r.points.map((p) => [p.at, p[key] || 0]) }];
  const marks = [];
  const t = r.progress?.latency, key = t?.target_ns ? "target_ns" : "p99_ns";
  if (t && !t.too_few?.includes(key)) marks.push(["1", t.target_ns ? "p" + number(100 * s.percentile) : "p99", t[key]]);
  if (s.latency_limit_ns) marks.push(["limit", "limit", s.latency_limit_ns]);
  const plain = (title, key) => {
    const c = over(key);
    c[0].name = "per half second";
    return lines({ title, series: c, word: number });
  };
  const times = (title, of, limit) => lines({ title, series: percentiles(r, of), word: time, limit, log: true });
  return [
    times("Latency", "latency", s.latency_limit_ns),
    times("Query latency", "query_latency", s.latency_limit_ns),
    distribution({ title: "Distribution of latencies", buckets: r.buckets || [], marks }),
    plain("Samples per second", "samples_per_s"),
    plain("Outstanding samples", "outstanding"),
    times("Issue delay", "issue_delay"),
    times("Time to first token", "ttft", s.ttft_limit_ns),
    times("Time per output token", "tpot", s.tpot_limit_ns),
    r.progress?.tokens ? plain("Tokens per second", "tokens_per_s") : null,
  ].filter(Boolean);
}

function draw() {
  drawn = 0;
  at("title").textContent = document.title = title;
  at("notes").textContent = notes.join("\n");
  list();
  const r = current();
  if (!r) return;
  at("figures").replaceChildren(...figures(r).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  at("times").replaceChildren(...percentileRows(r).map((row, i) => element("tr", {}, ...row.map((cell, j) =>
    i && j ? element("td", {}, cell) : element("th", { scope: i ? "row" : "col" }, cell)))));
  at("judged").replaceChildren(...judged(r).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", { dir: "auto" }, value))));
  const alarm = banner(r);
  if (at("banner").textContent !== alarm) at("banner").textContent = alarm; // readers of screens say it once
  at("charts").replaceChildren(...charts(r));
}

function state(text, kind = "") {
  at("state").textContent = text;
  at("state").className = "pill " + kind;
}

function finish(text, good) {
  source.close();
  state(text, good ? "good" : "bad");
}

reset();
const source = new EventSource("events");
source.onopen = () => state("live");
source.onerror = () => state("the harness does not answer", "bad");
source.onmessage = (m) => {
  const e = JSON.parse(m.data);
  heard[e.event]?.(e);
  if (!drawn) drawn = requestAnimationFrame(draw);
};
