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
      r.name, element("small", { class: kind }, text));
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
      if (t) rows.push([`${name}, ${r.result ? "the whole run" : when}`, ...columns.map(([, key]) => time(t[key]))]);
  return rows.length ? [["", ...columns.map(([word]) => word)], ...rows] : [];
}

function judged(r) {
  const s = r.start, parts = [];
  if (r.workload) parts.push([r.workload.model_file, r.workload.precision, r.workload.backend, r.workload.dataset]
    .filter((t) => typeof t === "string" && t).join(", "));
  const served = r.workload?.backend_info?.model;
  if (typeof served === "string" && served) parts.push(`the server's model: ${served}`);
  if (s.latency_limit_ns) parts.push(`limit ${time(s.latency_limit_ns)} at the ${number(100 * s.percentile)}th percentile`);
  if (s.ttft_limit_ns) parts.push(`limits TTFT ${time(s.ttft_limit_ns)}, TPOT ${time(s.tpot_limit_ns)}`);
  if (s.min_duration_s) parts.push(`at least ${number(s.min_duration_s)} s`);
  if (r.progress?.hopeless) parts.push("can only end INVALID: " + r.progress.hopeless);
  for (const why of r.result?.reasons || []) parts.push(`${why.rule}: ${why.measured}, needed ${why.needed}`);
  return parts;
}

function percentiles(r, of, name) {
  const target = r.start.percentile || 0.99;
  const points = r.points.filter((p) => p[of]);
  const line = (key) => points.map((p) => [p.at, p[of][key]]);
  return [{ name: "p50", points: line("p50_ns") },
    r.start.percentile ? { name: "p" + number(100 * target), points: line("target_ns") }
      : { name: "p99", points: line("p99_ns") },
    { name: "largest", points: line("max_ns") }];
}

function charts(r) {
  const s = r.start, over = (key) => [{ name: "", points: r.points.map((p) => [p.at, p[key] || 0]) }];
  const marks = [];
  if (s.latency_limit_ns) marks.push(["limit", s.latency_limit_ns]);
  const t = r.progress?.latency;
  if (t) marks.push(t.target_ns ? ["p" + number(100 * s.percentile), t.target_ns] : ["p99", t.p99_ns]);
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
  at("judged").replaceChildren(...judged(r).map((text) => element("li", {}, text)));
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
