"""Attacks by files and names: links that were planted, includes, manifests."""

import json
import os
import time

from attacks_target import attack

PRECIOUS = "precious"
SHADER = "#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n"


def state(path):
    with open(path, "rb") as f:
        return "untouched" if f.read() == PRECIOUS.encode() else "OVERWRITTEN"


@attack("planted_in_cache", "12")
def planted_in_cache(case):
    case.sent = "a cache directory that everybody may write to, whose lock is a link"
    victim = case.path("victim", PRECIOUS)
    cache = case.path("cache")
    os.mkdir(cache)
    os.chmod(cache, 0o777)
    for name in ("lock", "trial", "written", "generation-000000000001"):
        os.symlink(victim, os.path.join(cache, name))
    daemon = case.start({"cache-dir": cache}, watch=False)
    served = daemon.await_ready()
    time.sleep(0.5)
    found = state(victim)
    links = sum(os.path.islink(os.path.join(cache, n)) for n in os.listdir(cache))
    return "link's target %s; %d of 4 links left; %s" % (
        found, links, "serves" if served else "does not serve")


@attack("foreign_directory", "12")
def foreign_directory(case):
    case.sent = "--cache-dir=a home directory with a folder named generation-1"
    home = case.path("home")
    os.makedirs(home + "/generation-1")
    os.makedirs(home + "/db")
    for name in ("letter.txt", "generation-1/letter.txt", "db/letter.txt"):
        with open(os.path.join(home, name), "w") as f:
            f.write(PRECIOUS)
    daemon = case.start({"cache-dir": home}, watch=False)
    served = daemon.await_ready()
    daemon.end()
    left = [n for n in ("letter.txt", "generation-1/letter.txt", "db/letter.txt")
            if os.path.exists(os.path.join(home, n))]
    return "%d of 3 files left; %s" % (len(left), "serves" if served else "does not serve")


@attack("planted_output", "13")
def planted_output(case):
    """A link where an output goes, and one in place of a folder of outputs."""
    case.sent = "`kiln batch -o out` where out/a is a link elsewhere and a file a link"
    victim = case.path("victim", PRECIOUS)
    elsewhere = case.path("elsewhere")
    os.makedirs(elsewhere)
    os.makedirs(case.path("src/a"))
    case.path("src/a/x.comp", SHADER)
    case.path("src/y.comp", SHADER)
    os.makedirs(case.path("out"))
    code, text = case.kiln("batch", "--local", "--target=tgl", "-o", "out", "src")
    for folder, _, files in list(os.walk(case.path("out"))):
        for name in files:
            os.remove(os.path.join(folder, name))
            if not folder.endswith("/a"):
                os.symlink(victim, os.path.join(folder, name))
        if folder.endswith("/a"):
            os.rmdir(folder)
            os.symlink(elsewhere, folder)
    code, text = case.kiln("batch", "--local", "--target=tgl", "-o", "out", "src")
    return "exit %s; link's target %s; %d files written elsewhere" % (
        code, state(victim), len(os.listdir(elsewhere)))


def remote_address(daemon):
    """Returns an address that the client takes for another machine's."""
    return daemon.address.replace("127.0.0.1", "0.0.0.0")


def compile_remotely(case, source, *flags):
    daemon = case.start()
    code, text = case.kiln("compile", "--server=" + remote_address(daemon), "--target=tgl",
                           *flags, source)
    return "SENT" if code == 0 else "not sent: " + text.strip().split("\n")[-1][:120].replace(
        case.folder, "...").replace("|", "/")


@attack("absolute_include", "14")
def absolute_include(case):
    case.sent = "a shader that includes /...secret, compiled by a daemon elsewhere"
    secret = case.path("secret.txt", "void secret() {}\n")
    os.mkdir(case.path("checkout"))
    source = case.path("checkout/a.comp", "#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
                       "#include \"%s\"\nlayout(local_size_x = 8) in;\nvoid main() { secret(); }\n" % secret)
    return compile_remotely(case, source)


@attack("dotted_include", "14")
def dotted_include(case):
    case.sent = "the same with `..`"
    case.path("secret.txt", "void secret() {}\n")
    os.mkdir(case.path("checkout"))
    source = case.path("checkout/a.comp", "#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
                       "#include \"../secret.txt\"\nlayout(local_size_x = 8) in;\nvoid main() { secret(); }\n")
    return compile_remotely(case, source)


@attack("linked_source", "14")
def linked_source(case):
    case.sent = "a folder with a source that is a link out of it"
    case.path("secret.comp", SHADER)
    os.mkdir(case.path("checkout"))
    os.symlink(case.path("secret.comp"), case.path("checkout/a.comp"))
    daemon = case.start()
    code, text = case.kiln("batch", "--server=" + remote_address(daemon), "--target=tgl", "-o", "out",
                           "checkout")
    return "SENT" if code == 0 else "not sent (exit %s)" % code


@attack("include_of_fifo", "14")
def include_of_fifo(case):
    case.sent = "a shader that includes a FIFO"
    os.mkfifo(case.path("pipe"))
    source = case.path("a.comp", "#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
                       "#include \"pipe\"\n" + SHADER[13:])
    code, _ = case.kiln("compile", "--local", "--target=tgl", source, timeout=15)
    return "exit %s" % code


@attack("manifest_names", "15")
def manifest_names(case):
    case.sent = "a manifest of 4 items: names with NUL, newline, 5,000 bytes, and a good one"
    source = case.path("a.comp", SHADER)
    items = [{"name": name, "file": source} for name in
             ("a\0b", "a\nb", "x" * 5000, "good")]
    manifest = case.path("m.jsonl", "".join(json.dumps(i) + "\n" for i in items))
    code, text = case.kiln("batch", "--local", "--target=tgl", "-o", "out", "--manifest=" + manifest)
    files = sorted(f for _, _, fs in os.walk(case.path("out")) for f in fs) \
        if os.path.isdir(case.path("out")) else []
    return "exit %s; %d files, the good one's %s" % (
        code, len(files), "written" if any(f.startswith("good") for f in files) else "LOST")
