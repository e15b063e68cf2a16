"""Names of files in comments and READMEs: each is a file of the repository.

  references.py ROOT      prints each name that is not; exit status 1 if there is one
"""
import os
import re
import sys

# A name with one of our endings, perhaps after folders; not part of a pattern, a link or a system
# header.
NAME = re.compile(r"(?<![\w/.*{}<>$%~:@-])((?:[\w-]+/)*[A-Za-z]\w*\.(?:md|h|cc|def|bzl))(?![\w/*(-])")
CHECKED = (".md", ".h", ".cc", ".def", ".proto", ".bzl")
# Files of Mesa (src/intel), gRPC and Linux that are cited as sources of facts, and names in
# examples.
OTHERS = {
    "brw_compiler.h", "brw_eu.h", "brw_eu_defines.h", "brw_eu_inst.h", "brw_nir.h",
    "intel_genX_state_brw.h", "intel_shader_enums.h",
    "call.cc", "hpack_encoder.cc", "timeout_encoding.cc",
    "landlock.h",
}


def comment_of(path, line):
    """Returns the prose of a line: all of it in a README, the comment in a source."""
    if path.endswith(".md"):
        return line
    if path.endswith(".bzl"):
        return line.partition("#")[2]
    return "" if "#include" in line else line.partition("//")[2]


def ends(paths):
    """Returns every tail of every path: `a/b.h` is named `b.h` and `a/b.h`."""
    tails = set()
    for path in paths:
        parts = path.split("/")
        tails |= {"/".join(parts[first:]) for first in range(len(parts))}
    return tails


def findings(texts, paths):
    """Returns the findings. `texts`: {path: text} to look through; `paths`: all files."""
    tails, found = ends(paths), []
    for path, text in sorted(texts.items()):
        for number, line in enumerate(text.splitlines(), 1):
            for name in NAME.findall(comment_of(path, line)):
                placeholder = name.startswith("NAME")
                if not placeholder and name not in tails and name.split("/")[-1] not in OTHERS:
                    found.append("%s:%d: there is no %s" % (path, number, name))
    return found


def main():
    root, paths, texts = sys.argv[1], [], {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in sorted(folders) if not name.startswith((".", "bazel-"))]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            paths.append(path)
            if name.endswith(CHECKED) and not name.endswith("_test.cc"):
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    texts[path] = file.read()
    found = findings(texts, paths)
    if len(texts) < 1000:
        found.append("%s: only %d files; is this the repository?" % (root, len(texts)))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
