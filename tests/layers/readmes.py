"""Every folder with a BUILD file has a README.md.

  readmes.py ROOT      prints a line for each folder without one; exit status 1 if there is one
"""
import os
import sys

# Stand-ins for rules of Bazel: deploy/bazel/README.md explains them.
EXPLAINED_ABOVE = "deploy/bazel/"


def findings(root, at_least=50):
    """Returns folders below `root` without one; fewer folders than `at_least` are a finding too."""
    found, seen = [], 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in sorted(folders) if not name.startswith((".", "bazel-"))]
        where = os.path.relpath(folder, root)
        if "BUILD" not in names or where == "." or where.startswith(EXPLAINED_ABOVE):
            continue
        seen += 1
        if "README.md" not in names:
            found.append("%s: no README.md" % where)
    if seen < at_least:
        found.append("%s: only %d folders with a BUILD file; is this the repository?" % (root, seen))
    return found


def main():
    found = findings(sys.argv[1])
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
