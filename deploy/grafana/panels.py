"""Parts of a Grafana dashboard: panels, rows, variables, and their layout.

A dashboard is a dict as Grafana's JSON has it (schemaVersion 38: Grafana 10). Panels are laid out from left to right, 24 units
wide, in the order in which they are added.
"""

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# Selects the daemons that the variables name.
OF = 'job=~"$job",instance=~"$instance"'
HEIGHT = 8


def target(expr, legend, index=0, instant=False):
    query = {"refId": chr(ord("A") + index), "datasource": DATASOURCE, "expr": expr, "legendFormat": legend,
             "editorMode": "code", "range": not instant, "instant": instant}
    if instant:
        query["format"] = "table"
    return query


def _panel(kind, title, queries, unit, width, about, **options):
    panel = {"type": kind, "title": title, "description": about, "datasource": DATASOURCE,
             "gridPos": {"h": HEIGHT, "w": width, "x": 0, "y": 0},
             "targets": [target(expr, legend, i, kind == "table") for i, (expr, legend) in enumerate(queries)],
             "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []}, "options": {}}
    panel["fieldConfig"]["defaults"].update(options.pop("defaults", {}))
    panel["options"].update(options)
    return panel


def graph(title, queries, unit="short", width=8, about="", stacked=False, defaults=None):
    """Returns a time series panel. `queries`: (expression, legend)."""
    custom = {"lineWidth": 1, "fillOpacity": 30 if stacked else 10, "showPoints": "never",
              "stacking": {"mode": "normal" if stacked else "none", "group": "A"}}
    return _panel("timeseries", title, queries, unit, width, about, defaults=dict(defaults or {}, custom=custom),
                  legend={"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                  tooltip={"mode": "multi", "sort": "desc"})


def share(title, queries, **rest):
    """Returns a graph of shares of 1."""
    return graph(title, queries, unit="percentunit", defaults={"max": 1}, **rest)


def number(title, queries, unit="short", width=4, about="", steps=((None, "green"),)):
    """Returns a panel with one figure for each series; `steps`: (from this value on, colour)."""
    thresholds = {"mode": "absolute", "steps": [{"value": value, "color": color} for value, color in steps]}
    return _panel("stat", title, queries, unit, width, about, defaults={"thresholds": thresholds},
                  reduceOptions={"calcs": ["lastNotNull"], "fields": "", "values": False}, colorMode="value",
                  graphMode="area", textMode="auto", justifyMode="auto", orientation="auto")


def bars(title, queries, unit="short", width=12, about=""):
    """Returns a panel with a bar for each series, by its last value."""
    return _panel("bargauge", title, queries, unit, width, about, displayMode="basic", orientation="horizontal",
                  showUnfilled=True, valueMode="color", minVizHeight=10, minVizWidth=0,
                  reduceOptions={"calcs": ["lastNotNull"], "fields": "", "values": False})


def table(title, queries, unit="short", width=24, about=""):
    """Returns a table of what the queries give now, a row for each series."""
    panel = _panel("table", title, queries, unit, width, about, showHeader=True, cellHeight="sm")
    panel["transformations"] = [
        {"id": "merge", "options": {}},
        {"id": "organize", "options": {"excludeByName": {"Time": True, "__name__": True, "job": True},
                                       "indexByName": {}, "renameByName": {}}}]
    return panel


def row(title):
    return {"type": "row", "title": title, "collapsed": False, "gridPos": {"h": 1, "w": 24, "x": 0, "y": 0},
            "panels": []}


def variable(name, label, query, many=True):
    """Returns a variable whose values are a query's: label_values(...)."""
    found = {"type": "query", "name": name, "label": label, "datasource": DATASOURCE, "definition": query,
             "query": {"query": query, "refId": "Values"}, "refresh": 2, "sort": 1, "hide": 0, "multi": many,
             "includeAll": many, "regex": "", "skipUrlSync": False, "options": []}
    if many:
        found.update(allValue=".*", current={"selected": True, "text": ["All"], "value": ["$__all"]})
    return found


def dashboard(uid, title, about, panels, variables=()):
    """Returns a dashboard with the variables datasource, job and instance, and with its own after them."""
    x = y = tallest = 0
    for number_, panel in enumerate(panels, 1):
        panel["id"] = number_
        at = panel["gridPos"]
        if x + at["w"] > 24:
            x, y, tallest = 0, y + tallest, 0
        at["x"], at["y"] = x, y
        x, tallest = x + at["w"], max(tallest, at["h"])
    restarts = {"name": "Restarts", "datasource": DATASOURCE, "enable": True, "iconColor": "orange",
                "expr": 'changes(process_start_time_seconds{%s}[$__rate_interval]) > 0' % OF,
                "titleFormat": "restart of {{instance}}", "step": "15s"}
    sources = {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus", "hide": 0,
               "refresh": 1, "regex": "", "skipUrlSync": False, "multi": False, "includeAll": False, "options": []}
    return {"uid": uid, "title": title, "description": about, "tags": ["kiln"], "schemaVersion": 38, "version": 1,
            "editable": True, "graphTooltip": 1, "timezone": "browser", "refresh": "30s", "fiscalYearStartMonth": 0,
            "time": {"from": "now-3h", "to": "now"}, "timepicker": {}, "weekStart": "", "liveNow": False,
            "annotations": {"list": [restarts]},
            "links": [{"type": "dashboards", "title": "Kiln", "tags": ["kiln"], "asDropdown": True, "icon": "",
                       "tooltip": "", "url": "", "includeVars": True, "keepTime": True, "targetBlank": False}],
            "templating": {"list": [sources, variable("job", "job", "label_values(kiln_build_info, job)"),
                                    variable("instance", "daemon",
                                             'label_values(kiln_build_info{job=~"$job"}, instance)')]
                           + list(variables)},
            "panels": panels}
