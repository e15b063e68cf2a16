// Numbers, times and elements as the pages show them.

const SI = ["", "k", "M", "G", "T"];

// Returns at most three digits and a unit prefix: 12.3k. "–" stands for what is not known.
function shortNumber(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.01) return value.toPrecision(1);
  let power = 0;
  while (Math.abs(value) >= 999.5 && power < SI.length - 1) { value /= 1000; ++power; }
  const digits = power === 0 && Number.isInteger(value) ? 0 : Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
  return String(Number(value.toFixed(digits))) + SI[power];
}

function wholeNumber(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US").replaceAll(",", "\u2009");
}

function bytes(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  while (Math.abs(value) >= 1000 && power < units.length - 1) { value /= 1024; ++power; }
  return `${power === 0 ? Math.round(value) : Number(value.toPrecision(3))} ${units[power]}`;
}

function seconds(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  if (value === 0) return "0 s";
  if (value < 0.9995e-3) return `${Number((value * 1e6).toPrecision(3))} µs`;
  if (value < 0.9995) return `${Number((value * 1e3).toPrecision(3))} ms`;
  return value < 120 ? `${Number(value.toPrecision(3))} s` : duration(value);
}

// Returns two units: "3 d 4 h".
function duration(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let first = parts.findIndex(([, size]) => value >= size);
  if (first < 0) first = 3;
  const shown = [];
  for (const [unit, size] of parts.slice(first, first + 2)) {
    const count = Math.floor(value / size);
    value -= count * size;
    if (count > 0 || shown.length === 0) shown.push(`${count} ${unit}`);
  }
  return shown.join(" ");
}

function percent(share) {
  if (share === null || share === undefined || !isFinite(share)) return "–";
  const value = share * 100;
  return `${value === 0 || value === 100 ? value : value < 0.1 ? value.toPrecision(1) : value.toFixed(1)} %`;
}

function clock(time) {
  return new Date(time * 1000).toLocaleTimeString("en-GB", {hour: "2-digit", minute: "2-digit", second: "2-digit"});
}

// Makes an element: attributes, then children (text or elements). Text is never read as HTML.
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "rect", "circle", "g", "title"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const find = id => document.getElementById(id);
