"""Checks that a pass has one name: in its row (the public name), as its function and as its file.

  pass_names.py ROOT      prints each row of a table of passes where they differ; exit status 1 if one does

The row `remove_dead_code` is the function RemoveDeadCode in a file remove_dead_code.cc. A second run of a
pass has another row: the name, or its first words, and when it is run (`remove_dead_lowered`).
"""
import os
import re
import sys

TABLE = re.compile(r"(?:constexpr Pass<[^>]*> \w+\[\] = |std::to_array<Pass<[^>]*>>\()\{(.*?)\n\}\)?;", re.S)
ROW = re.compile(r'\{"(\w+)",\s*([\w:<>&, ]+?),\s*(?:true|false)')


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def snake(function):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", function).lower()


def rows_of(text):
    """Returns [(row's name, function)] of the tables in a source, without wrappers and namespaces."""
    return [(name, re.findall(r"\w+", function)[-1])
            for table in TABLE.findall(text) for name, function in ROW.findall(table)]


def findings(rows, files):
    """Returns the findings. `files`: {name of a source without .cc: [its texts]}."""
    names = {name for name, _ in rows}
    found = []
    for name, function in rows:
        own = snake(function)
        first_words = name.rpartition("_")[0]
        again = own != name and own in names and (own == first_words or
                                                  own.startswith(first_words + "_"))
        if own != name and not again:
            found.append("%s: its function is %s, not %s" % (name, function, camel(name)))
            continue
        homes = [own] + ([first_words] if first_words in names else [])
        texts = [text for home in homes for text in files.get(home, [])]
        if not any(re.search(r"\b%s\(" % function, text) for text in texts):
            found.append("%s: no %s.cc with %s" % (name, own, function))
    return found


def main():
    rows, files = [], {}
    for folder, _, names in sorted(os.walk(os.path.join(sys.argv[1], "core"))):
        for name in sorted(names):
            if name.endswith(".cc") and not name.endswith("_test.cc"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                files.setdefault(name[:-3], []).append(text)
                rows += rows_of(text)
    found = findings(rows, files)
    if len(rows) < 50:
        found.append("%d rows found in %s; is this the repository?" % (len(rows), sys.argv[1]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
