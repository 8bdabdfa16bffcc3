// Charts: lines over time, and a distribution. All text goes in as text, never as markup.

const WIDTH = 480, HEIGHT = 220, LEFT = 62, RIGHT = 26, TOP = 10, BOTTOM = 34;

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

// short words a value beside an axis, where there is room for some letters.
function short(v) {
  for (const [from, unit] of [[1e9, " G"], [1e6, " M"]]) if (Math.abs(v) >= from) return number(v / from) + unit;
  return number(v);
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
  let free = LEFT - 40;
  for (const v of x.ticks) {
    const text = words.x(v), half = text.length * 3.6;
    if (x.at(v) - half < free) continue; // it would stand on the one before
    free = x.at(v) + half + 6;
    svg.append(element("text", { x: x.at(v), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, text));
  }
  svg.append(element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, words.label));
}

// figure is a chart with its title and keys, [class, words]. What lines and marks are stands there and not in the chart,
// where it would cover others.
function figure(title, keys, alt) {
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": alt });
  const caption = element("figcaption", {}, title);
  for (const [kind, words] of keys) caption.append(element("span", { class: "k" + kind }, words));
  return [element("figure", {}, caption, svg), svg];
}

// lines draws series {name, kind, points: [[x, y], ...]} over seconds, the first at the bottom and the last on top of the
// others: what matters most comes last. limit is a value of y; 0: none.
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
  const keys = series.map((s) => [s.kind, "— " + s.name]);
  if (limit) keys.push(["limit", "┄ limit " + word(limit)]);
  const [fig, svg] = figure(title, keys, `${title}; at the end ${last}${limit ? "; limit " + word(limit) : ""}`);
  axes(svg, x, y, { x: short, y: word === number ? short : word, label: "seconds" });
  for (const s of series) svg.append(element("path", { class: "line l" + s.kind, d: path(s.points, x.at, y.at, log) }));
  if (limit) svg.append(element("line", { class: "mark limit", x1: LEFT, x2: WIDTH - RIGHT, y1: y.at(limit),
    y2: y.at(limit) }));
  return fig;
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

// distribution draws buckets [from, to, count] in ns; marks are [kind, name, ns].
export function distribution({ title, buckets, marks }) {
  if (buckets.length === 0) return null;
  const values = [Math.max(buckets[0][0], buckets[0][1] / 2), buckets.at(-1)[1], ...marks.map((m) => m[2])];
  const low = Math.min(...values) / 1.1, high = Math.max(...values) * 1.1;
  const most = Math.max(...buckets.map((b) => b[2]));
  const x = { at: scale(low, high, LEFT, WIDTH - RIGHT, true), ticks: ticks(low, high, true) };
  const y = { at: scale(0, most * 1.15, HEIGHT - BOTTOM, TOP), ticks: ticks(0, most * 1.15) };
  const keys = marks.map(([kind, name, ns]) => [kind, `┆ ${name} ${time(ns)}`]);
  const words = marks.map((m) => `${m[1]} ${time(m[2])}`).join(", ");
  const [fig, svg] = figure(title, keys, `${title}: from ${time(buckets[0][0])} to ${time(buckets.at(-1)[1])}; ${words}`);
  axes(svg, x, y, { x: time, y: short, label: "latency" });
  for (const [from, to, count] of buckets) {
    const left = x.at(Math.max(from, low));
    svg.append(element("rect", { class: "bar", x: left, width: Math.max(x.at(to) - left - 0.3, 0.7), y: y.at(count),
      height: HEIGHT - BOTTOM - y.at(count) }, element("title", {}, `${time(from)} to ${time(to)}: ${number(count)}`)));
  }
  for (const [kind, , ns] of marks)
    svg.append(element("line", { class: "mark " + kind, x1: x.at(ns), x2: x.at(ns), y1: TOP, y2: HEIGHT - BOTTOM }));
  return fig;
}
