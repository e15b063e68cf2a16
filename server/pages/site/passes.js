// The page of passes: one row for each pass, summed over the chosen targets and stages.

function passRows(value, target, stage) {
  const place = Object.fromEntries(value.columns.map((name, i) => [name, i]));
  const summaries = new Map(value.passes.map(pass => [pass.name, pass]));
  const rows = new Map();
  for (const row of value.rows) {
    if ((target && row[place.target] !== target) || (stage && row[place.stage] !== stage)) continue;
    const name = row[place.pass];
    if (!rows.has(name)) rows.set(name, {pass: name, level: summaries.get(name)?.level || "step", summary: summaries.get(name)?.summary || ""});
    const sums = rows.get(name);
    for (const field of ["runs", "changed", "seconds", "removed", "added", "deaths"]) sums[field] = (sums[field] || 0) + row[place[field]];
  }
  return [...rows.values()];
}

// `largest`: the share whose bar has the whole width.
function shareBar(share, largest) {
  const width = largest ? Math.round(share / largest * 60) : 0;
  return make("span", {class: "share"}, percent(share), make("svg", {width: 64, height: 8, "aria-hidden": true}, make("rect", {class: "k1", x: 4, width, height: 8, rx: 2})));
}

function passColumns(all, largest) {
  const number = (name, title, help) => ({name, title, help, of: row => row[name]});
  return [
    {name: "pass", title: "pass", of: row => row.pass, left: true, show: value => make("code", {}, value)},
    {name: "level", title: "level", of: row => row.level, left: true},
    {name: "share", title: "share of time", help: "of the processor time of all passes shown", of: row => all ? row.seconds / all : 0, show: share => shareBar(share, largest)},
    {name: "seconds", title: "time", help: "processor time", of: row => row.seconds, show: seconds},
    number("runs", "runs"),
    {name: "each", title: "time a run", of: row => row.runs ? row.seconds / row.runs : 0, show: seconds},
    {name: "changed", title: "changed", help: "share of runs that changed the code", of: row => row.runs ? row.changed / row.runs : 0, show: percent},
    number("removed", "removed", "instructions, over the runs that lowered their number"),
    number("added", "added", "instructions, over the runs that raised it"),
    {name: "deaths", title: "deaths", help: "workers that died or exceeded a limit in it", of: row => row.deaths, show: value => make("span", {class: value ? "bad" : "quiet"}, wholeNumber(value))},
    {name: "summary", title: "what it does", of: row => row.summary, left: true, none: true, kind: "summary"},
  ];
}

function passesPage() {
  let value = null;
  const order = {name: "seconds", down: true};
  const show = () => {
    if (value === null) return;
    const column = name => [...new Set(value.rows.map(row => row[value.columns.indexOf(name)]))].sort();
    target.offer(column("target"));
    stage.offer(column("stage"));
    const rows = passRows(value, target.value(), stage.value()).filter(row => `${row.pass} ${row.summary}`.toLowerCase().includes(filter.value()));
    const all = rows.reduce((sum, row) => sum + row.seconds, 0);
    count.textContent = `${wholeNumber(rows.length)} passes and steps, ${seconds(all)} of processor time`;
    drawTable(find("table-passes"), passColumns(all, Math.max(0, ...rows.map(row => row.seconds)) / all), rows, order, value.rows.length ? "No pass of that kind has run." : "No pass has run yet: compile something.");
  };
  const target = choice("target", show), stage = choice("stage", show), filter = filterField("filter", show), count = make("span", {class: "count"});
  find("filters").append(target.element, stage.element, filter.element, count);
  find("filters").addEventListener("submit", event => event.preventDefault());
  poll("/passes.json", 10, next => { value = next; show(); });
}
