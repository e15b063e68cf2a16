#include "client/trace/page.h"

namespace kiln::client::trace {

// Rows have data-why (sentences), data-from (the instructions that they wait for), data-a and
// data-b (their cycles); the body has data-from and data-to.
const absl::string_view kPageScript = R"js(
(() => {
  const style = document.body.style, rows = [...document.querySelectorAll('.rows li')];
  const byId = id => document.getElementById(id), why = byId('why'), axis = byId('axis');
  const whole = [+document.body.dataset.from, +document.body.dataset.to];
  const clip = [...whole];
  let start = whole[0], span = whole[1] - whole[0], at = null, pinned = false;

  const users = new Map();
  for (const row of rows)
    for (const i of row.dataset.from.split(' ').filter(Boolean)) users.set(i, [...(users.get(i) || []), row]);

  function draw() {
    style.setProperty('--o', start);
    style.setProperty('--s', span);
    const wanted = Math.max(span / Math.max(2, Math.floor(axis.clientWidth / 64)), 1);
    const ten = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].find(n => n * ten >= wanted) * ten;
    const ticks = [];
    const end = start + span * (1 - 30 / axis.clientWidth);  // a number is as wide
    for (let c = Math.ceil(start / step) * step; c < end; c += step) {
      const tick = document.createElement('b');
      tick.style.setProperty('--a', c);
      tick.textContent = c;
      ticks.push(tick);
    }
    axis.replaceChildren(...ticks);
  }
  function view(from, cycles) {
    span = Math.min(Math.max(cycles, 4), clip[1] - clip[0]);
    start = Math.min(Math.max(from, clip[0]), clip[1] - span);
    draw();
  }
  const zoom = factor => {
    const middle = at ? +at.dataset.a : start + span / 2;
    view(middle - (middle - start) * factor, span * factor);
  };
  function cut(from, to) {
    if (!(to > from)) return;
    clip[0] = Math.max(from, whole[0]);
    clip[1] = Math.min(Math.max(to, clip[0] + 1), whole[1]);
    for (const row of rows) row.hidden = +row.dataset.a >= clip[1] || +row.dataset.b <= clip[0];
    if (at && at.hidden) pick(null);
    view(clip[0], clip[1] - clip[0]);
  }
  function mark(row, on) {
    row.classList.toggle('at', on);
    for (const i of row.dataset.from.split(' ').filter(Boolean)) byId('i' + i)?.classList.toggle('from', on);
    for (const user of users.get(row.id.slice(1)) || []) user.classList.toggle('to', on);
  }
  function pick(row, scroll) {
    if (at) mark(at, false);
    at = row;
    why.replaceChildren();
    if (!row) return;
    mark(row, true);
    const name = document.createElement('strong');
    name.textContent = row.id.slice(1) + '  ' + row.querySelector('code').textContent;
    why.append(name, '\n' + row.dataset.why);
    if (!scroll) return;
    row.scrollIntoView({block: 'center'});
    if (+row.dataset.b <= start || +row.dataset.a >= start + span) view(+row.dataset.a - span / 4, span);
  }
  function move(step, wanted = () => true) {
    let i = at ? rows.indexOf(at) + step : step > 0 ? 0 : rows.length - 1;
    while (rows[i] && (rows[i].hidden || !wanted(rows[i]))) i += step;
    if (rows[i]) pinned = true, pick(rows[i], true);
  }
  const waits = row => row.dataset.from !== '' || row.querySelector('.wait');
  const producer = () => {
    const row = at && byId('i' + at.dataset.from.split(' ')[0]);
    if (row && !row.hidden) pinned = true, pick(row, true);
  };
  const keys = {
    ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
    n: () => move(1, waits), p: () => move(-1, waits), Enter: producer,
    ArrowRight: () => view(start + span / 8, span), ArrowLeft: () => view(start - span / 8, span),
    '+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2), '0': () => view(clip[0], clip[1] - clip[0]),
    Home: () => (pick(null), move(1)), End: () => (pick(null), move(-1)),
    Escape: () => (pinned = false, pick(null)),
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input')) return;
    if (event.target.matches('button') && event.key === 'Enter') return;
    const act = keys[event.key];
    if (act) event.preventDefault(), act();
  });
  const rowOf = event => event.target.closest('.rows li');
  document.addEventListener('pointerover', event => {
    if (event.pointerType === 'mouse' && !pinned && rowOf(event)) pick(rowOf(event));
  });
  document.addEventListener('click', event => {
    const row = rowOf(event);
    if (row) pinned = !(pinned && row === at), pick(row);
  });
  for (const button of document.querySelectorAll('[data-key]'))
    button.addEventListener('click', () => keys[button.dataset.key]());
  for (const id of ['from', 'to'])
    byId(id).addEventListener('change', () => cut(+byId('from').value, +byId('to').value));
  addEventListener('resize', draw);
  byId('tools').hidden = false;
  view(whole[0], whole[1] - whole[0]);
  if (/^#i\d+$/.test(location.hash)) pinned = true, pick(byId(location.hash.slice(1)), true);
})();
)js";

}  // namespace kiln::client::trace
