"""Attacks of a worker that a shader has taken over: taken_over_worker.py in place of kiln_worker."""

import os
import subprocess
import time

from attacks_target import attack, compile_on

HERE = os.path.dirname(os.path.abspath(__file__))


def taken_over(case, mode):
    """Returns a program that executes taken_over_worker.py; kilnd starts no scripts."""
    path = case.path("worker")
    arguments = ["/usr/bin/python3", "-B", os.path.join(HERE, "taken_over_worker.py"),
                 case.programs.work, mode]
    source = ("#include <unistd.h>\nint main() { char* to[] = {%s, 0}; char* none[] = {0}; "
              "return execve(to[0], to, none); }\n" % ", ".join('"%s"' % a for a in arguments))
    subprocess.run(["cc", "-x", "c", "-o", path, "-"], input=source, text=True, check=True)
    return path


def two_compiles(case, mode):
    """Requests two shaders, one after the other, and returns what the second one got."""
    daemon = case.start({"workers": "1", "worker-user": "none", "job-time": "10s"},
                        worker=taken_over(case, mode), watch=False)
    texts = []
    for number in (1, 2):
        for _ in range(100):
            with daemon.channel() as channel:
                status, answer = compile_on(channel, case.pb, daemon.honest_request(number), 30)
            if status != "UNAVAILABLE":
                break
            time.sleep(0.1)
        if status != "OK":
            texts.append(status)
            continue
        result = answer.results[0]
        code = b" ".join(v.code for v in result.variants).decode(errors="replace")
        texts.append("%s (%s)%s" % (case.pb.TargetResult.Status.Name(result.status), result.cause,
                                    " with " + code if code else ""))
    if not os.path.exists("/proc/%d" % daemon.pid) or daemon.process.poll() is not None:
        return "kilnd has left: " + daemon.log().decode(errors="replace")[-300:]
    return "first job: %s; second: %s" % tuple(texts)


@attack("honest_worker", "10")
def honest_worker(case):
    case.sent = "nothing wrong, as a control"
    return two_compiles(case, "honest")


@attack("frames_ahead", "10")
def frames_ahead(case):
    case.sent = "an answer, and behind it forged ones for the ids that may come next"
    return two_compiles(case, "ahead")


@attack("other_target", "10")
def other_target(case):
    case.sent = "an answer for a target that was not asked for"
    return two_compiles(case, "other_target")


@attack("half_an_answer", "10")
def half_an_answer(case):
    case.sent = "`last` without a result"
    return two_compiles(case, "nothing")


@attack("giant_frame", "10")
def giant_frame(case):
    case.sent = "a frame of 4 GiB announced, 64 MiB of it sent"
    return two_compiles(case, "giant")


@attack("slow_reader", "11")
def slow_reader(case):
    """A worker that takes 4 KiB of its job a second."""
    case.sent = "a job of 3 MiB to a worker that does not read; then SIGTERM"
    daemon = case.start({"workers": "1", "worker-user": "none", "job-time": "5s",
                         "drain-time": "5s"},
                        worker=taken_over(case, "slow"), watch=False)
    pb = case.pb
    request = daemon.honest_request(1)
    request.glsl.text += "// " + "x" * (3 << 20)
    status, start = "", time.monotonic()
    for _ in range(100):
        with daemon.channel() as channel:
            status, answer = compile_on(channel, pb, request, 25)
        if status != "UNAVAILABLE":
            break
        time.sleep(0.1)
    if status == "OK":
        status = pb.TargetResult.Status.Name(answer.results[0].status)
    answered = time.monotonic() - start
    ended = daemon.end()
    return "job: %s after %.1f s; SIGTERM: %s" % (
        status, answered, "ended after %.1f s" % ended if ended is not None else "hung for 45 s, killed")
