// The page of the log's latest events.

const dayOf = time => new Date(time).toLocaleDateString("en-CA").slice(5);

function eventElement(line) {
  const {time, level, event, ...fields} = line;
  const kind = {error: "bad", warning: "warn", info: "quiet", debug: "quiet"}[level];
  const shown = Object.entries(fields).map(([name, value]) => make("span", {}, make("em", {}, `${name} `),
    name === "key" ? make("a", {href: `/shaders#${value}`}, make("code", {}, String(value).slice(0, 12))) : String(value)));
  return make("div", {class: "event"}, make("time", {datetime: time, title: time}, `${dayOf(time)} ${clock(Date.parse(time) / 1000)}`),
    make("span", {class: kind}, level), make("b", {}, event), make("span", {class: "fields"}, ...shown));
}

function logPage() {
  let lines = [];
  const show = () => {
    level.offer([...new Set(lines.map(line => line.level))].sort());
    event.offer([...new Set(lines.map(line => line.event))].sort());
    const chosen = lines.filter(line => (!level.value() || line.level === level.value()) && (!event.value() || line.event === event.value()) &&
      JSON.stringify(line).toLowerCase().includes(filter.value()));
    count.textContent = `${wholeNumber(chosen.length)} of ${wholeNumber(lines.length)} events`;
    find("events").replaceChildren(...chosen.reverse().map(eventElement));
    if (chosen.length === 0) find("events").append(make("p", {class: "empty"}, "No event of that kind."));
  };
  const level = choice("level", show), event = choice("event", show), filter = filterField("filter", show);
  const count = make("span", {class: "count"});
  find("filters").append(level.element, event.element, filter.element, count);
  find("filters").addEventListener("submit", submitted => submitted.preventDefault());
  poll("/log.json", 5, value => { lines = value.lines; show(); });
}

startFrame({status: statusPage, passes: passesPage, shaders: shadersPage, log: logPage});
