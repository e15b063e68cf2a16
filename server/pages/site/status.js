// The status page: health, figures of now, the last hour's charts, and counts since the start.

// Turns samples into points: gauges as they are, counters as rates since the sample before.
function pointsOf(history) {
  const names = history.columns.map(([name]) => name), kinds = history.columns.map(([, kind]) => kind);
  const points = [];
  for (let i = 1; i < history.samples.length; ++i) {
    const now = history.samples[i], before = history.samples[i - 1], span = now[0] - before[0];
    if (!(span > 0)) continue;
    const point = {span};
    names.forEach((name, j) => {
      const change = now[j] === null || before[j] === null ? null : now[j] - before[j];
      point[name] = kinds[j] !== "counter" ? now[j] : change === null || change < 0 ? null : change / span;
    });
    points.push(point);
  }
  return points;
}

// Returns the mean of a rate over the last `span` seconds.
function meanRate(points, name, span) {
  const end = points.length ? points.at(-1).time : 0;
  const recent = points.filter(point => point.time > end - span && point[name] !== null);
  const time = recent.reduce((sum, point) => sum + point.span, 0);
  return time === 0 ? null : recent.reduce((sum, point) => sum + point[name] * point.span, 0) / time;
}

function hitRatio(points, span) {
  const [memory, disk, coalesced, miss] = ["memory", "disk", "coalesced", "miss"].map(name => meanRate(points, name, span) ?? 0);
  const all = memory + disk + coalesced + miss;
  return all === 0 ? null : (memory + disk) / all;
}

// Sums series of a family: by the value of a label, or all.
function sumBy(family, label, where = () => true) {
  const sums = new Map();
  for (const [labels, value] of family || []) {
    if (!where(labels)) continue;
    const key = label ? labels[label] : "";
    sums.set(key, (sums.get(key) || 0) + value);
  }
  return sums;
}

const one = (family, where) => [...sumBy(family, null, where).values()][0] || 0;

// Returns the seconds for which what a tier evicted last had not been used, or null if it has evicted nothing.
function evictedAge(metrics, tier) {
  const is = labels => labels.tier === tier;
  return one(metrics.kiln_cache_evicted_bytes_total, is) ? one(metrics.kiln_cache_evicted_age_seconds, is) : null;
}

const statusCharts = {};

function makeCharts() {
  const rates = names => names.map(([name, label]) => ({label, of: point => point[name]}));
  const chart = (name, options) => { statusCharts[name] = new Chart(find(`chart-${name}`), options); };
  chart("requests", {title: "Requests a second", show: shortNumber, top: 1, series: [
    {label: "answered", of: point => point.requests === null ? null : point.requests - point.errors},
    {label: "failed", of: point => point.errors}, {label: "refused shaders", of: point => point.refused}, {label: "died", of: point => point.died}]});
  chart("tiers", {title: "Results a second, by origin", stacked: true, show: shortNumber, top: 1,
    series: rates([["memory", "memory"], ["miss", "compiled"], ["disk", "disk"], ["coalesced", "shared"]])});
  chart("latency", {title: "Time in the daemon", log: true, show: seconds,
    series: rates([["hit_p50", "hit p50"], ["miss_p50", "compile p50"], ["hit_p99", "hit p99"], ["miss_p99", "compile p99"]])});
  chart("queue", {title: "Queue and workers", show: shortNumber, top: 2,
    series: rates([["queued_jobs", "jobs waiting"], ["queued_reads", "disk reads waiting"], ["busy", "workers busy"]])});
  chart("waits", {title: "Waiting for a worker", log: true, show: seconds, series: rates([["queue_p50", "p50"], ["queue_p99", "p99"]])});
  chart("cpu", {title: "Processors in use", show: shortNumber, stacked: true, top: 1, series: rates([["workers_cpu", "workers"], ["daemon_cpu", "daemon"]])});
  chart("memory", {title: "Resident memory", show: bytes, base: 1024, stacked: true, top: 1 << 20,
    series: rates([["daemon_bytes", "daemon"], ["workers_bytes", "workers"]])});
  chart("caches", {title: "Caches, share of their bounds", show: percent, top: 1, fixed: true, series: [
    {label: "memory", of: point => point.memory_share}, {label: "disk", of: point => point.disk_share}]});
  chart("evicted", {title: "Evicted a second", show: bytes, base: 1024, top: 1024, series: rates([["memory_evicted_bytes", "memory"], ["disk_evicted_bytes", "disk"]])});
}

function showHealth(health) {
  const words = {ok: "Healthy", degraded: "Degraded", failing: "Failing", stopping: "Stopping"};
  find("health").className = `health ${health.state}`;
  find("health-word").textContent = words[health.state] || health.state;
  const reasons = health.reasons.length ? health.reasons : health.state === "ok" ? ["serves, and nothing is amiss"] : [];
  find("health-reasons").replaceChildren(...reasons.map(reason => make("li", {}, reason)));
}

function showTiles(status, points) {
  const m = status.metrics, last = points.at(-1) || {};
  const requests = meanRate(points, "requests", 60), errors = meanRate(points, "errors", 60);
  const tiles = [
    ["Requests/s", shortNumber(requests), "mean of the last minute"],
    ["Failed", requests ? percent(errors / requests) : "–", "share of the last minute's requests"],
    ["Hit ratio", percent(hitRatio(points, 3600)), "memory and disk, of the last hour's results"],
    ["Hit p99", seconds(last.hit_p99), "99 of 100 of the latest hits took at most so long in the daemon"],
    ["Compile p99", seconds(last.miss_p99), "99 of 100 of the latest compiles took at most so long in the daemon, waiting included"],
    ["Jobs waiting", `${wholeNumber(last.queued_jobs)} / ${wholeNumber(one(m.kiln_queue_limit, labels => labels.queue === "worker"))}`, "for a worker, of at most"],
    ["Workers busy", `${wholeNumber(last.busy)} / ${wholeNumber(last.workers)}`, "of those alive"],
    ["Connections", `${wholeNumber(last.connections)} / ${wholeNumber(one(m.kiln_connections_limit, labels => labels.listener === "grpc"))}`, "open, of at most"],
    ["Quarantined", wholeNumber(one(m.kiln_quarantine_entries)), "shaders refused because they killed workers"]];
  find("tiles").replaceChildren(...tiles.map(([label, value, title]) => make("div", {class: "tile", title}, make("span", {}, label), make("b", {}, value))));
}

function showCharts(status, points) {
  const limit = tier => one(status.metrics.kiln_cache_limit_bytes, labels => labels.tier === tier);
  for (const point of points) {
    for (const tier of ["memory", "disk"]) point[`${tier}_share`] = limit(tier) ? point[`${tier}_cache_bytes`] / limit(tier) : null;
  }
  const age = evictedAge(status.metrics, "memory") ?? evictedAge(status.metrics, "disk");
  const notes = {
    tiers: `hit ratio ${percent(hitRatio(points, 3600))}`,
    memory: `bounds: ${bytes(status.bounds.daemon_bytes)} and ${bytes(status.bounds.workers_bytes)}`,
    caches: `of ${bytes(limit("memory"))}${limit("disk") ? ` and ${bytes(limit("disk"))}` : ""}`,
    evicted: age === null ? "nothing yet" : `the last one unused for ${duration(age)}`,
  };
  for (const [name, chart] of Object.entries(statusCharts)) chart.update(points, notes[name] || "");
}

function countTable(id, heads, rows, empty) {
  const columns = heads.map((title, i) => ({name: String(i), title, of: row => row[i], left: i + 1 < heads.length}));
  drawTable(find(id), columns, rows, null, empty);
}

function showTables(status) {
  const m = status.metrics, by = (a, b) => b.at(-1) - a.at(-1);
  countTable("table-requests", ["method", "code", "calls"],
    (m.kiln_requests_total || []).map(([labels, value]) => [labels.method, labels.code, value]).sort(by), "No request yet.");
  const results = sumBy((m.kiln_compile_results_total || []).map(([labels, value]) => [{of: `${labels.cache}\n${labels.target}\n${labels.result}`}, value]), "of");
  countTable("table-results", ["origin", "target", "result", "results"],
    [...results].map(([of, value]) => [...of.split("\n"), value]).sort(by), "No result yet.");
  countTable("table-causes", ["result", "cause", "count"],
    (m.kiln_job_failures_total || []).map(([labels, value]) => [labels.result, labels.cause, value]).sort(by), "Each job gave code.");
  countTable("table-exits", ["why", "workers"], [...sumBy(m.kiln_worker_exits_total, "reason")].sort(by), "None has ended.");
  const of = (family, tier) => one(m[family], labels => labels.tier === tier);
  const caches = ["memory", "disk"].filter(tier => of("kiln_cache_limit_bytes", tier)).map(tier => {
    const age = evictedAge(m, tier);
    return [tier, wholeNumber(of("kiln_cache_entries", tier)), bytes(of("kiln_cache_bytes", tier)), percent(of("kiln_cache_bytes", tier) / of("kiln_cache_limit_bytes", tier)),
      bytes(of("kiln_cache_evicted_bytes_total", tier)), age === null ? "–" : duration(age)];
  });
  const heads = ["tier", "records", "size", "of bound", "evicted", "age"];
  const help = {age: "of what was evicted last: how long the record had not been used (memory), or since its table was written (disk)"};
  drawTable(find("table-caches"), heads.map((title, i) => ({name: title, title, help: help[title], of: row => row[i], left: i === 0})), caches, null, "No cache.");
  countTable("table-compiler", ["", ""], [["Kiln", status.version], ["glslang", status.glslang],
    ...status.targets.map(target => [`${target.name}, code generation`, String(target.code_generation_version)])], "");
}

function statusPage() {
  makeCharts();
  let history = null, shown = null, started = null;
  const show = () => {
    if (history === null || shown === null) return;
    const last = history.samples.at(-1), fresh = !last || shown.sample[0] - last[0] >= 1;
    const points = pointsOf({...history, samples: fresh ? [...history.samples, shown.sample] : history.samples});
    showHealth(shown.health);
    showTiles(shown, points);
    showCharts(shown, points);
    showTables(shown);
    find("about").textContent = `${shown.version} · up ${duration(shown.sample[0] - shown.started)}`;
  };
  poll("/history.json", 60, value => { history = value; show(); });
  poll("/status.json", 5, value => {
    shown = value;
    if (started !== null && started !== value.started) readAll();
    started = value.started;
    if (history && value.sample[0] - (history.samples.at(-1)?.[0] ?? 0) >= history.seconds) history.samples.push(value.sample);
    show();
  });
}
