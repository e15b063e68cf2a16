// Charts over time, as SVG: lines, or areas one on the other. The pointer, a finger or the arrow keys move a cross whose
// values the legend shows.

const HEIGHT = 132, LEFT = 46, RIGHT = 4, TOP = 8, BOTTOM = 17;
const STEPS = [10, 20, 30, 60, 120, 300, 600, 900, 1800];

// Returns the least of 1, 2, 5, 10, 20 ... units that is not below the value; units are of 1024 for bytes.
function niceTop(value, base) {
  let unit = 1;
  while (base === 1024 && value > 1000 * unit) unit *= 1024;
  const power = 10 ** Math.floor(Math.log10(value / unit || 1));
  return unit * power * [1, 2, 5, 10].find(step => step * power * unit >= value * 0.999);
}

class Chart {
  // Points have `time`, `span` (the seconds before it that it stands for) and what `of` reads. `options`: title, series: [{label, of: point => number or null}], show: value => text; stacked, log, base: 1024,
  // top: least upper end of the axis, fixed: it is the end.
  constructor(figure, options) {
    Object.assign(this, {figure, at: null, points: [], note: ""}, options);
    this.noteElement = make("span", {class: "quiet"});
    this.svg = make("svg", {tabindex: "0", role: "img"});
    this.legend = make("div", {class: "legend"});
    figure.append(make("figcaption", {}, make("span", {}, this.title), this.noteElement), this.svg, this.legend);
    this.values = this.series.map((series, i) => {
      const value = make("b");
      this.legend.append(make("span", {}, make("i", {class: `k${i + 1}`}), `${series.label} `, value));
      return value;
    });
    const move = event => this.point(this.nearest(event.clientX));
    this.svg.addEventListener("pointermove", move);
    this.svg.addEventListener("pointerdown", move);
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("blur", () => this.point(null));
    this.svg.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(figure);
  }

  update(points, note = "") {
    this.points = points.filter(point => point.time > points.at(-1).time - 3600);
    this.note = note;
    if (this.at !== null && this.at >= this.points.length) this.at = null;
    this.draw();
  }

  key(event) {
    const last = this.points.length - 1, step = event.shiftKey ? 6 : 1;
    const to = {ArrowLeft: (this.at ?? last + 1) - step, ArrowRight: (this.at ?? last) + step, Home: 0, End: last, Escape: null}[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.point(to === null ? null : Math.min(last, Math.max(0, to)));
  }

  nearest(clientX) {
    if (this.points.length === 0) return null;
    const x = clientX - this.svg.getBoundingClientRect().left;
    const distance = point => Math.abs(this.x(point.time) - x);
    return this.points.reduce((best, point, i) => distance(point) < distance(this.points[best]) ? i : best, 0);
  }

  point(at) {
    if (at === this.at) return;
    this.at = at;
    this.draw();
  }

  scales() {
    const width = Math.max(160, this.svg.clientWidth || this.figure.clientWidth - 24);
    const end = this.points.length ? this.points.at(-1).time : 60;
    const begin = Math.min(end - 60, Math.max(end - 3600, this.points.length ? this.points[0].time - this.points[0].span : 0));
    this.x = time => LEFT + (Math.max(time, begin) - begin) / (end - begin) * (width - LEFT - RIGHT);
    const all = this.points.map(point => {
      const values = this.series.map(series => series.of(point)).filter(value => value !== null && isFinite(value));
      return this.stacked ? [values.reduce((sum, value) => sum + value, 0)] : values;
    }).flat();
    const largest = Math.max(...all, 0), height = HEIGHT - TOP - BOTTOM;
    if (this.log) {
      const positive = all.filter(value => value > 0);
      const low = Math.floor(Math.log10(Math.min(...positive, 1e-3))), high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(largest, 1e-9))));
      this.y = value => TOP + height * (1 - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low));
      const every = Math.ceil((high - low) / 4);
      this.marks = Array.from({length: Math.floor((high - low) / every) + 1}, (_, i) => 10 ** (low + i * every));
    } else {
      const top = this.fixed ? this.top : niceTop(Math.max(largest, this.top || 1e-9), this.base);
      this.y = value => TOP + height * (1 - value / top);
      this.marks = [0, top / 2, top];
    }
    return {width, begin, end};
  }

  axes({width, begin, end}) {
    const lines = this.marks.flatMap(mark => [
      make("line", {class: "grid", x1: LEFT, x2: width - RIGHT, y1: this.y(mark), y2: this.y(mark)}),
      make("text", {x: LEFT - 5, y: this.y(mark) + 3.5, "text-anchor": "end"}, this.show(mark))]);
    const most = Math.max(2, Math.floor(width / 95));
    const step = STEPS.find(size => (end - begin) / size <= most) || 1800;
    for (let time = Math.ceil(begin / step) * step; time <= end; time += step) {
      const text = clock(time).slice(0, step < 60 ? 8 : 5), x = this.x(time);
      if (x < LEFT + 10 || x > width - 16) continue;
      lines.push(make("text", {x, y: HEIGHT - 3, "text-anchor": "middle"}, text));
    }
    return lines;
  }

  paths() {
    const below = this.points.map(() => 0);
    return this.series.map((series, i) => {
      let line = "", back = "", open = false;
      this.points.forEach((point, j) => {
        const value = series.of(point);
        if (value === null || !isFinite(value)) { open = open && this.stacked; return; }
        const x = this.x(point.time).toFixed(1), start = this.x(point.time - point.span).toFixed(1);
        const low = this.stacked ? this.y(below[j]).toFixed(1) : null, high = this.y(value + (this.stacked ? below[j] : 0)).toFixed(1);
        line += open ? `L${x},${high}` : `M${start},${high}L${x},${high}`;
        if (this.stacked) {
          back = `L${x},${low}${open ? "" : `L${start},${low}`}${back}`;
          below[j] += value;
        }
        open = true;
      });
      if (!line) return null;
      return this.stacked ? make("path", {class: `area k${i + 1}`, d: `${line}${back}Z`})
        : make("path", {class: `linear k${i + 1}`, d: line, "stroke-linecap": "round"});
    }).filter(Boolean);
  }

  draw() {
    const scales = this.scales();
    this.svg.setAttribute("viewBox", `0 0 ${scales.width} ${HEIGHT}`);
    const shown = this.points[this.at ?? this.points.length - 1];
    const cross = this.at === null || !shown ? [] : [make("line", {class: "cross", x1: this.x(shown.time), x2: this.x(shown.time), y1: TOP, y2: HEIGHT - BOTTOM})];
    this.svg.replaceChildren(...this.axes(scales), ...this.paths(), ...cross);
    this.series.forEach((series, i) => { this.values[i].textContent = shown ? this.show(series.of(shown)) : "–"; });
    this.noteElement.textContent = this.at === null || !shown ? this.note : clock(shown.time);
    const values = this.series.map((series, i) => `${series.label} ${this.values[i].textContent}`).join(", ");
    this.svg.setAttribute("aria-label", `${this.title}: ${values}`);
  }
}
