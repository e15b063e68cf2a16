// The page of shaders: slowest, largest, most spilling, most refused. #KEY shows one.

const SHADER_ORDERS = [["slowest", "seconds"], ["largest", "code_bytes"], ["most spilling", "spills"], ["most refused", "refused"], ["latest", "last"]];

// Statistics that have a column if the compiler declares them; others when they are chosen.
const SHOWN_STATISTICS = ["instructions", "cycles", "registers", "spills"];

// `statistics`: those that have a column.
function shaderColumns(statistics) {
  const number = (name, title = name, help) => ({name, title, help, of: row => row[name]});
  return [
    {name: "key", title: "key", of: row => row.key, left: true, kind: "key", show: key => make("a", {href: `#${key}`, title: key}, key.slice(0, 12))},
    {name: "target", title: "target", of: row => row.target, left: true},
    {name: "stage", title: "stage", of: row => row.stage, left: true},
    {name: "status", title: "result", of: row => row.status, left: true, show: (value, row) => make("span", {class: value === "ok" ? "good" : "bad"}, value === "ok" ? value : `${value}: ${row.cause}`)},
    {name: "seconds", title: "time", help: "processor time of the last compile", of: row => row.seconds, show: seconds},
    {name: "code_bytes", title: "code", help: "bytes of all variants", of: row => row.code_bytes, show: size => size ? bytes(size) : "–"},
    ...statistics.map(({name, counts}) => ({name, title: name.replaceAll("_", " "), help: `${counts} Of the variant with most.`,
      of: row => row[name] ?? -1, show: value => value < 0 ? "–" : wholeNumber(value)})),
    number("refused", "refused", "answers without code"),
    number("made", "made", "results that workers made for this key"),
    {name: "last", title: "last", of: row => row.last, show: clock},
  ];
}

function showOne(row, key, columns) {
  const place = find("one");
  place.hidden = key === "";
  if (key === "") return;
  const close = make("a", {href: "#"}, "all shaders");
  const known = row ? columns.slice(1).map(column => make("div", {}, make("dt", {}, column.title),
    make("dd", {}, column.show ? column.show(column.of(row), row) : wholeNumberOrText(column.of(row))))) : [];
  place.replaceChildren(make("div", {}, make("code", {}, key), " · ", close),
    row ? make("dl", {}, ...known) : make("p", {class: "quiet"}, "Not among the last shaders: the daemon keeps the figures of a few hundred."));
}

const wholeNumberOrText = value => typeof value === "number" ? wholeNumber(value) : value || "–";

function shadersPage() {
  let value = null, all = false;
  const order = {name: "seconds", down: true};
  const buttons = SHADER_ORDERS.map(([label, name]) => make("button", {type: "button", onclick: () => { Object.assign(order, {name, down: true}); show(); }}, label));
  const show = () => {
    if (value === null) return;
    const rows = value.rows.map(row => {
      const shader = Object.fromEntries(value.columns.map((name, i) => [name, row[i]]));
      shader.values.forEach((number, i) => { shader[value.statistics[i].name] = number; });
      return shader;
    });
    statistic.offer(value.statistics.map(({name}) => name).filter(name => !SHOWN_STATISTICS.includes(name)));
    const shown = value.statistics.filter(({name}) => SHOWN_STATISTICS.includes(name) || name === statistic.value());
    if (order.name !== "spills" && !shaderColumns(shown).some(({name}) => name === order.name)) order.name = "seconds";
    const column = name => [...new Set(rows.map(row => row[name]))].filter(Boolean).sort();
    target.offer(column("target"));
    stage.offer(column("stage"));
    result.offer(column("status"));
    SHADER_ORDERS.forEach(([, name], i) => buttons[i].setAttribute("aria-pressed", String(order.down && order.name === name)));
    const key = location.hash.slice(1).toLowerCase().replace(/[^0-9a-f]/g, "");
    showOne(key && rows.find(row => row.key.startsWith(key)), key, shaderColumns(value.statistics));
    let chosen = rows.filter(row => (!target.value() || row.target === target.value()) && (!stage.value() || row.stage === stage.value()) && (!result.value() || row.status === result.value()));
    chosen = chosen.filter(row => `${row.key} ${row.cause}`.includes(filter.value()));
    const rare = order.down && ["spills", "refused"].includes(order.name);
    if (rare) chosen = chosen.filter(row => row[order.name] > 0);
    count.textContent = `${wholeNumber(chosen.length)} of the last ${wholeNumber(rows.length)} shaders`;
    const empty = rows.length === 0 ? "No shader was compiled yet." : rare && order.name === "spills" ? "None of them spills." : rare ? "None of them was refused." : "No shader of that kind.";
    drawTable(find("table-shaders"), shaderColumns(shown), chosen, order, empty, all ? Infinity : 100, () => { all = true; show(); });
  };
  const target = choice("target", show), stage = choice("stage", show), result = choice("result", show), statistic = choice("also", show, "–"), filter = filterField("key or cause", show);
  const count = make("span", {class: "count"});
  find("tabs").append(...buttons);
  find("filters").append(target.element, stage.element, result.element, statistic.element, filter.element, count);
  find("filters").addEventListener("submit", event => event.preventDefault());
  window.addEventListener("hashchange", show);
  poll("/shaders.json", 10, next => { value = next; show(); });
}
