// Tables, with columns that sort when asked.
//
// A column: {name, title, of: row => value, show: value => text or element, left, help, none: no sorting}.

function cellOf(column, row) {
  const value = column.of(row);
  const shown = column.show ? column.show(value, row) : typeof value === "number" ? wholeNumber(value) : value;
  const kind = [column.left ? "l" : "", column.kind ? column.kind : ""].join(" ").trim();
  return make("td", {class: kind || null}, shown);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en");
}

// Draws `rows` into `place`, the first `most` of them with a button for the others. `order`: {name, down}, kept by the
// caller; changed and drawn again when a head is pressed. null: the order of `rows`, and no sorting.
function drawTable(place, columns, rows, order, empty, most = Infinity, onAll = null) {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  if (rows.length === 0) {
    place.replaceChildren(make("p", {class: "empty"}, empty));
    return;
  }
  let sorted = rows;
  if (order) {
    const by = columns.find(column => column.name === order.name);
    sorted = [...rows].sort((a, b) => (order.down ? -1 : 1) * compare(by.of(a), by.of(b)));
  }
  const heads = columns.map(column => {
    const sort = order && order.name === column.name ? (order.down ? "descending" : "ascending") : null;
    const inside = !order || column.none ? column.title : make("button", {
      type: "button", "data-name": column.name, title: column.help,
      onclick: () => {
        order.down = order.name === column.name ? !order.down : !column.left;
        order.name = column.name;
        drawTable(place, columns, rows, order, empty, most, onAll);
      },
    }, column.title);
    return make("th", {scope: "col", class: column.left ? "l" : null, title: order ? null : column.help, "aria-sort": sort}, inside);
  });
  const body = sorted.slice(0, most).map(row => make("tr", {}, ...columns.map(column => cellOf(column, row))));
  place.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)));
  if (sorted.length > most) place.append(make("p", {class: "empty"}, make("button", {type: "button", onclick: onAll}, `all ${wholeNumber(sorted.length)}`)));
  if (focused) place.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

// Makes a select whose choice stays while its options change. `none`: the text of no choice.
function choice(label, onchange, none = "all") {
  const select = make("select", {onchange});
  const element = make("label", {}, label, select);
  return {
    element,
    value: () => select.value,
    offer(values) {
      const chosen = select.value;
      const wanted = ["", ...values];
      if (wanted.join("\n") === [...select.options].map(option => option.value).join("\n")) return;
      select.replaceChildren(...wanted.map(value => make("option", {value}, value || none)));
      select.value = wanted.includes(chosen) ? chosen : "";
    },
  };
}

// Makes a text field that narrows a table; "/" goes there.
function filterField(label, oninput) {
  const input = make("input", {type: "search", id: "filter", oninput, autocomplete: "off", spellcheck: "false"});
  return {element: make("label", {}, label, input), value: () => input.value.trim().toLowerCase(), set(text) { input.value = text; }};
}
