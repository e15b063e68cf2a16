"""Writes the pages of site/ as C++, for site.h.

  embed.py OUT.cc FILE...    FILE: files of site/

A page NAME.html is put into layout.html; its first line, a comment, is its title. All scripts become one, /kiln.js,
in the order of SCRIPTS. Files refer to nothing outside the program: what does is an error.
"""
import os
import re
import sys

SCRIPTS = ("format.js", "table.js", "chart.js", "frame.js", "status.js", "passes.js", "shaders.js", "log.js")
TITLE = re.compile(r"\A<!-- (.+) -->\n")
# A URL of another host, beside the name of SVG's namespace.
ELSEWHERE = re.compile(r"(?:https?:)?//(?!www\.w3\.org/2000/svg\b)[\w.-]+\.\w+|\bimport\b\s*[({'\"]|@import")


def page(layout, name, text):
    """Returns the whole page of one body."""
    title = TITLE.match(text)
    if not title:
        raise ValueError(name + ": the first line has to be <!-- TITLE -->")
    parts = {"title": title.group(1), "name": name[:-len(".html")], "body": text[title.end():].rstrip("\n")}
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], layout)


def site(files):
    """Returns [(path, content type, text)] of {name: text}."""
    unknown = [name for name in files if name.endswith(".js") and name not in SCRIPTS]
    if unknown:
        raise ValueError("not in SCRIPTS: " + ", ".join(unknown))
    for name, text in sorted(files.items()):
        found = ELSEWHERE.search(text)
        if found:
            raise ValueError("%s refers to another host: %s" % (name, found.group()))
    entries = []
    for name, text in sorted(files.items()):
        if name.endswith(".html") and name != "layout.html":
            path = "/" if name == "status.html" else "/" + name[:-len(".html")]
            entries.append((path, "text/html; charset=utf-8", page(files["layout.html"], name, text)))
        elif name.endswith(".css"):
            entries.append(("/" + name, "text/css; charset=utf-8", text))
        elif name.endswith(".svg"):
            entries.append(("/" + name, "image/svg+xml", text))
    scripts = "".join(files[name] for name in SCRIPTS)
    script = "\"use strict\";\n(() => {\n" + scripts + "})();\n"
    return entries + [("/kiln.js", "text/javascript; charset=utf-8", script)]


def literal(text):
    """Returns a string literal; raw, so that errors of the compiler have the page's lines."""
    if ")site\"" in text:
        raise ValueError("a file ends the literal")
    return 'R"site(' + text + ')site"'


def main(arguments):
    files = {}
    for path in arguments[1:]:
        with open(path, encoding="utf-8") as file:
            files[os.path.basename(path)] = file.read()
    with open(arguments[0], "w", encoding="utf-8") as out:
        out.write('#include "server/pages/site.h"\nnamespace kiln::pages {\nnamespace {\nconstexpr SiteFile kSite[] = {\n')
        for path, kind, text in site(files):
            out.write('{"%s", "%s", %s},\n' % (path, kind, literal(text)))
        out.write("};\n}  // namespace\nstd::span<const SiteFile> Site() { return kSite; }\n}  // namespace kiln::pages\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
