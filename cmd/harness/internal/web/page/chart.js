// Charts: lines over time, and a distribution. All text goes in as text, never as markup.

const WIDTH = 480, HEIGHT = 220, LEFT = 58, RIGHT = 10, TOP = 10, BOTTOM = 34;

export function element(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "rect", "line", "text", "g", "title"].includes(name);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// time words nanoseconds.
export function time(ns) {
  if (ns >= 1e9) return number(ns / 1e9) + " s";
  if (ns >= 1e6) return number(ns / 1e6) + " ms";
  return number(ns / 1e3) + " µs";
}

export function number(v) {
  if (v === 0) return "0";
  if (Math.abs(v) >= 1000) return Math.round(v).toLocaleString("en-US");
  return String(Number(v.toPrecision(3)));
}

function ticks(low, high, log) {
  const out = [];
  if (log) {
    const decades = Math.log10(high / low);
    const steps = decades > 2.5 ? [1] : decades > 1 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++)
      for (const s of steps) if (s * 10 ** d >= low && s * 10 ** d <= high) out.push(s * 10 ** d);
    return out;
  }
  const step = 10 ** Math.floor(Math.log10((high - low || 1) / 4));
  const by = [1, 2, 5, 10].map((n) => n * step).find((n) => (high - low) / n <= 5);
  for (let v = Math.ceil(low / by) * by; v <= high; v += by) out.push(v);
  return out;
}

function scale(low, high, from, to, log) {
  const f = log ? Math.log10 : (v) => v;
  const span = f(high) - f(low) || 1;
  return (v) => from + ((f(v) - f(low)) / span) * (to - from);
}

function axes(svg, x, y, words) {
  for (const v of y.ticks) {
    const at = y.at(v);
    svg.append(element("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }),
      element("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, words.y(v)));
  }
  for (const v of x.ticks)
    svg.append(element("text", { x: x.at(v), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, words.x(v)));
  svg.append(element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, words.label));
}

function figure(title, keys, alt) {
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": alt });
  const caption = element("figcaption", {}, title);
  keys.forEach((key, i) => caption.append(element("span", { class: "k" + i }, "— " + key)));
  return [element("figure", {}, caption, svg), svg];
}

// lines draws series {name, points: [[x, y], ...]} over seconds. limit is a value of y; 0: none.
export function lines({ title, series, word, limit = 0, log = false }) {
  series = series.filter((s) => s.points.length > 0);
  const all = series.flatMap((s) => s.points);
  if (all.length === 0) return null;
  const ys = all.map((p) => p[1]).filter((v) => !log || v > 0);
  const right = Math.max(...all.map((p) => p[0]), 1);
  let low = log ? Math.min(...ys, limit || Infinity) / 1.2 : 0;
  let high = Math.max(...ys, limit) * (log ? 1.2 : 1.05) || 1;
  if (!isFinite(low)) low = 1;
  const x = { at: scale(0, right, LEFT, WIDTH - RIGHT), ticks: ticks(0, right) };
  const y = { at: scale(low, high, HEIGHT - BOTTOM, TOP, log), ticks: ticks(low, high, log) };
  const last = series.map((s) => `${s.name} ${word(s.points.at(-1)[1])}`).join(", ");
  const [fig, svg] = figure(title, series.map((s) => s.name), `${title}; at the end ${last}`);
  axes(svg, x, y, { x: number, y: word, label: "seconds" });
  series.forEach((s, i) => svg.append(element("path", { class: "line l" + i, d: path(s.points, x.at, y.at, log) })));
  if (limit) mark(svg, { x1: LEFT, x2: WIDTH - RIGHT, y1: y.at(limit), y2: y.at(limit) }, "limit " + word(limit));
  return fig;
}

function mark(svg, at, text) {
  const vertical = at.x1 === at.x2;
  svg.append(element("line", { class: "limit", ...at }), element("text", {
    class: "limit", x: at.x2 - 4, y: vertical ? TOP + 10 : at.y1 - 4, "text-anchor": "end" }, text));
}

// path joins the points; of those in one column of pixels the first, the least, the largest and the last stay.
function path(points, x, y, log) {
  const out = [];
  let column = [];
  const flush = () => {
    if (column.length === 0) return;
    const by = [...column].sort((a, b) => a[1] - b[1]);
    const keep = new Set([column[0], by[0], by.at(-1), column.at(-1)]);
    for (const p of column) if (keep.has(p)) out.push(`${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`);
    column = [];
  };
  for (const p of points) {
    if (log && p[1] <= 0) continue;
    if (column.length && Math.floor(x(p[0])) !== Math.floor(x(column[0][0]))) flush();
    column.push(p);
  }
  flush();
  return out.length === 1 ? `M${out[0]}h1` : "M" + out.join("L");
}

// distribution draws buckets [from, to, count] in ns; marks are [name, ns].
export function distribution({ title, buckets, marks }) {
  if (buckets.length === 0) return null;
  const values = [Math.max(buckets[0][0], buckets[0][1] / 2), buckets.at(-1)[1], ...marks.map((m) => m[1])];
  const low = Math.min(...values) / 1.1, high = Math.max(...values) * 1.1;
  const most = Math.max(...buckets.map((b) => b[2]));
  const x = { at: scale(low, high, LEFT, WIDTH - RIGHT, true), ticks: ticks(low, high, true) };
  const y = { at: scale(0, most * 1.15, HEIGHT - BOTTOM, TOP), ticks: ticks(0, most * 1.15) };
  const words = marks.map((m) => `${m[0]} ${time(m[1])}`).join(", ");
  const [fig, svg] = figure(title, [], `${title}: from ${time(buckets[0][0])} to ${time(buckets.at(-1)[1])}; ${words}`);
  axes(svg, x, y, { x: time, y: number, label: "latency" });
  for (const [from, to, count] of buckets) {
    const left = x.at(Math.max(from, low));
    svg.append(element("rect", { class: "bar", x: left, width: Math.max(x.at(to) - left - 0.3, 0.7), y: y.at(count),
      height: HEIGHT - BOTTOM - y.at(count) }, element("title", {}, `${time(from)} to ${time(to)}: ${number(count)}`)));
  }
  for (const [name, ns] of marks)
    mark(svg, { x1: x.at(ns), x2: x.at(ns), y1: TOP, y2: HEIGHT - BOTTOM }, `${name} ${time(ns)}`);
  return fig;
}
