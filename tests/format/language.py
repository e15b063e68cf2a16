"""Words and openings that core/STYLE.md rules out, in comments, docstrings, READMEs and names.

  language.py ROOT [PATH...]    prints each finding; exit status 1 if there is one. PATH: a folder or file below ROOT
"""
import ast
import os
import re
import sys

ACTORS = re.compile(r"\b(nobody|somebody|anybody|whoever)\b", re.I)
# A sentence's first word. "What is ...?" asks, and stays.
OPENING = re.compile(r"(?:^|(?<=[.!?:] ))(Of|What|Whether)\b(?![^.!?]*\?)")
BOUND = re.compile(r"\bkMost\w*")
TYPE = re.compile(r"^\s*(?:struct|class|enum(?: class)?|using) (\w*Place)\b")
# A name of several words, one of which is an actor without a name, or "behind" for "after".
NAME = re.compile(r"\b\w*(?:Nobody|Somebody|Anybody|Whoever|Behind)(?:s?(?![a-z]))\w*\b"
                  r"|\b(?:\w+_(?:nobody|somebody|anybody|whoever)(?:_\w*)?|(?:nobody|somebody|anybody|whoever)_\w*)\b")
SOURCES = (".cc", ".h", ".def", ".proto", ".inc")
SHADERS = (".comp", ".frag", ".vert", ".mir")
SCRIPTS = (".py", ".bzl", "BUILD", ".sh")
AT_LEAST = 1000  # files in the repository
# The page that shows what is ruled out, and this test's examples.
OWN = ("core/STYLE.md", "tests/format/language.py", "tests/format/language_test.py")


def comment_of(line, sign):
    """Returns the comment of a source's line, without its sign; None if there is none."""
    if line.startswith("#!"):
        return None
    match = re.match(r'^(?:[^"\']|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')*?' + sign + r"+(?:<|!)? ?(.*)$", line)
    return match.group(1) if match else None


def docstrings(text):
    """Returns {line number: its prose} of the docstrings in a Python text; {} if it is none."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:  # a shell script
        return {}
    lines, prose = text.splitlines(), {}
    for node in nodes:
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) or ast.get_docstring(node) is None:
            continue
        string = node.body[0]
        for number in range(string.lineno, string.end_lineno + 1):
            prose[number] = lines[number - 1].replace('"""', "").strip()
    return prose


def paragraphs(path, text):
    """Yields (number of its first line, prose) for each stretch of lines that belong together."""
    first, prose, fenced = 0, [], False
    documented = {} if path.endswith(SOURCES + SHADERS + (".md",)) else docstrings(text)
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".md"):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            part = None if fenced or line.startswith("#") else re.sub(r"^\s*(?:[*-]|\d+\.|\|)\s+", "\n", line).strip(" ")
            part = part or None
        elif number in documented:
            part = documented[number]
        else:
            part = comment_of(line, "//" if path.endswith(SOURCES + SHADERS) else "#")
            alone = re.match(r"\s*(//|#)", line)
            if part is not None and not alone:  # a comment beside code is a paragraph
                if prose:
                    yield first, " ".join(prose)
                    prose = []
                yield number, part
                continue
        if part is None or not part.strip():
            if prose:
                yield first, " ".join(prose)
            prose = []
            continue
        if part.startswith("\n") and prose:
            yield first, " ".join(prose)
            prose = []
        if not prose:
            first = number
        prose.append(part.strip())
    if prose:
        yield first, " ".join(prose)


def names_in(line):
    """Returns the names in a line that have such a word. A word alone is prose, or the user nobody."""
    return [name for name in NAME.findall(line) if re.search(r"_|\w[A-Z]", name)]


def findings_of(path, text):
    """Yields each finding in one file, as a line."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in names_in(line):
            yield "%s:%d: %s: name who it is; After for what follows" % (path, number, name)
    for number, prose in paragraphs(path, text):
        for word in ACTORS.findall(prose):
            yield "%s:%d: '%s' is no actor: name who it is" % (path, number, word)
        for word in OPENING.findall(prose):
            yield "%s:%d: a sentence begins with a bare '%s': %s" % (path, number, word, prose[:60])
    if not path.endswith(SOURCES):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for name in BOUND.findall(line):
            yield "%s:%d: %s: upper bounds are kMax..." % (path, number, name)
        for name in TYPE.findall(line):
            yield "%s:%d: %s: say which: location, slot, index, register, position" % (path, number, name)


def is_read(path):
    """Returns True for a text with comments: by the ending of its name, or a script without one."""
    if path.endswith(SOURCES + SHADERS + SCRIPTS + (".md",)):
        return True
    if "." in os.path.basename(path):
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def files_below(root, path):
    """Yields the paths, relative to the root, of the files to read."""
    if os.path.isfile(os.path.join(root, path)):
        yield os.path.normpath(path)
        return
    for folder, folders, names in os.walk(os.path.join(root, path)):
        folders[:] = sorted(name for name in folders if name == ".github" or not name.startswith((".", "bazel-")))
        for name in sorted(names):
            if is_read(os.path.join(folder, name)):
                yield os.path.normpath(os.path.relpath(os.path.join(folder, name), root))


def main():
    root, found, read = sys.argv[1], 0, 0
    for start in sys.argv[2:] or ["."]:
        for path in files_below(root, start):
            read += 1
            if path in OWN:
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for finding in findings_of(path, file.read()):
                    print(finding)
                    found += 1
    if not sys.argv[2:] and read < AT_LEAST:
        print("only %d files below %s" % (read, root))
        found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
