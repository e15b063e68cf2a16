"""The soak's judgement: which answers are right, which errors are explained, and the verdict.

Every answer is given to `answered`, every end of a call to `ended`. An end is explained by the kind
of request (ALLOWED) or by a fault whose window overlaps the call (EXPLAINS); anything else is a
finding. Time itself is never judged.
"""

import collections
import hashlib
import re
import threading
import time

# Replies of a daemon that is full.
SHED = (r"UNAVAILABLE: (too many calls are waiting|the queue is full|"
        r"requests in flight fill the limit of \d+ bytes)")
RESULT = r"(OK|REFUSED/.*)$"
# Ends that a request may have without a fault, by kind of request.
ALLOWED = {
    "compile": [RESULT, SHED],
    "item": [RESULT, SHED],
    "digest": [RESULT, SHED, r"NOT_CACHED/"],
    "probe": [RESULT, SHED, r"NOT_CACHED/"],
    "cancelled": [RESULT, SHED, r"CANCELLED"],
    "deadline": [RESULT, SHED, r"DEADLINE_EXCEEDED"],
    "invalid": [r"INVALID_ARGUMENT", SHED],
    "too_long": [r"INVALID_ARGUMENT", SHED],
    "oversized": [r"RESOURCE_EXHAUSTED", SHED],
    "broken": [RESULT, r"INVALID/", SHED],
    "bad_glsl": [r"INVALID/invalid_glsl", SHED],
    "unread": [RESULT, SHED, r"CANCELLED"],
    "killed_client": [r"killed", r"exit 0"],
    "idle": [r"connected", r"refused"],
    "metrics": [r"200"],
    "healthz": [r"200"],
    "quarantine": [r"exit 0"],
    "injected_crash": [r"CRASHED/(segmentation_fault|abort|assertion|worker_exited)", SHED],
    "injected_hang": [r"TIMED_OUT/", SHED],
    "injected_memory": [r"MEMORY_LIMIT/memory_limit", SHED],  # or TIMED_OUT, as all with "injected"
}
AWAY = r"(UNAVAILABLE|unreachable|exit 3|503|refused)"
# gRPC cancels a call that arrives while it shuts down (client/service/retry.cc tries it again).
DRAINED = r"CANCELLED: CANCELLED"
# Ends that a fault may cause for requests in flight while it lasts, and for a while after.
EXPLAINS = {
    "kill_daemon": [AWAY],
    "stop_daemon": [AWAY, DRAINED],
    "read_only": [AWAY, DRAINED],
    "kill_worker": [r"MEMORY_LIMIT/killed_by_system", r"exit 4"],
    "freeze_worker": [r"TIMED_OUT/", r"DEADLINE_EXCEEDED", r"exit 4"],
    "injected": [r"TIMED_OUT/"],  # the limit on jobs is short here, and the machine may be slow
    "flood": [r"UNAVAILABLE", r"unreachable", r"503", r"exit 3"],
}
DEATH = re.compile(r"(CRASHED|TIMED_OUT|MEMORY_LIMIT)/")
QUARANTINED = re.compile(r"\w+/quarantined")


# Ends that the daemon must have counted exactly; for others its count is not known.
COUNTED = re.compile(SHED + r"|INVALID_ARGUMENT: |(OK|[A-Z_]+/.*)$")


def code_of(label):
    """Returns the status code of the call: every result counts as OK."""
    return label.split(": ")[0] if ": " in label else "OK"


def digest_of(pb, result):
    """Returns a digest of everything in a result that must not depend on when it was made."""
    copy = pb.TargetResult()
    copy.CopyFrom(result)
    for field in ("timings", "cache", "passes"):
        copy.ClearField(field)
    return hashlib.sha256(copy.SerializeToString(deterministic=True)).hexdigest()


class Fault:
    def __init__(self, kind):
        self.kind, self.began, self.ended = kind, time.monotonic(), None


class Judge:
    def __init__(self, pb):
        self.pb = pb
        self.lock = threading.RLock()
        self.first = {}        # permutation: digest of its first answer
        self.code = {}         # key: digest of the machine code
        self.ends = collections.Counter()     # (kind of request, end)
        self.by_life = collections.Counter()  # (daemon's process, code or "uncertain")
        self.faults = []
        self.findings = collections.OrderedDict()  # what: times
        self.seconds = collections.defaultdict(list)  # (hit or miss, calm or faults)
        self.sample = {}       # permutation: machine code of its variants, for some
        self.dead = set()      # permutations whose worker died
        # (daemon's process, permutation), compiled and so stored: the latest.
        self.acknowledged = collections.deque(maxlen=20)
        self.checks = collections.Counter()   # comparison: how often it was made
        self.notes = []
        self.quiet = False     # findings are not printed as they come
        self.levels = []       # one row of numbers for each rest

    def finding(self, what):
        with self.lock:
            self.findings[what] = self.findings.get(what, 0) + 1
            if self.findings[what] == 1 and not self.quiet:
                print("  FINDING:", what, flush=True)

    def check(self, what, good, otherwise):
        with self.lock:
            self.checks[what] += 1
        if not good:
            self.finding("%s: %s" % (what, otherwise))

    # Faults ---------------------------------------------------------------------------------------

    def begin(self, kind):
        with self.lock:
            self.faults.append(Fault(kind))
            return self.faults[-1]

    def end(self, fault, after=3.0):
        """`after`: seconds for which calls still feel it (a client's pause before it connects)."""
        fault.ended = time.monotonic() + after

    def explained(self, label, began, ended):
        with self.lock:
            return any(f.began <= ended and (f.ended is None or f.ended >= began)
                       and any(re.match(e, label) for e in EXPLAINS.get(f.kind, []))
                       for f in self.faults)

    def troubled(self, now):
        with self.lock:
            return any(f.ended is None or f.ended >= now for f in self.faults)

    def latest_faults(self):
        with self.lock:
            return "after " + (", ".join(f.kind for f in self.faults[-2:]) or "no fault")

    # Calls ----------------------------------------------------------------------------------------

    def ended(self, asked, label, began, lives=(), permutation=None, text=""):
        """`lives`: the daemon's process when a compile request began and when it ended."""
        now = time.monotonic()
        with self.lock:
            self.ends[asked, "UNAVAILABLE (full)" if re.match(SHED, label) else
                      label.split(": ")[0].rstrip("/")] += 1
            for life in set(lives) - {None}:
                certain = len(set(lives)) == 1 and COUNTED.match(label)
                self.by_life[life, code_of(label) if certain else "uncertain"] += 1
        if DEATH.match(label) and not QUARANTINED.match(label):
            self.dead.add(permutation)
        if QUARANTINED.match(label):
            # Deaths that their own client did not wait for count too.
            deadly = ("kill_worker", "freeze_worker", "injected")
            if permutation in self.dead or any(f.kind in deadly for f in self.faults):
                return
        elif any(re.match(a, label) for a in ALLOWED[asked]):
            return
        if not self.explained(label, began, now):
            self.finding("%s ended with %s%s, %s" % (
                asked, label, text and " (%s)" % text, self.latest_faults()))

    def answered(self, permutation, result, seconds, undisturbed, life):
        """Judges a result; only those that can be stored must be the same each time."""
        pb = self.pb
        if result.status not in (pb.TargetResult.OK, pb.TargetResult.REFUSED,
                                 pb.TargetResult.INVALID) or result.cause == "quarantined":
            return
        same = digest_of(pb, result)
        code = hashlib.sha256(b"".join(v.code for v in result.variants)).hexdigest()
        hit = result.cache in (pb.CACHE_MEMORY, pb.CACHE_DISK)
        with self.lock:
            first = self.first.setdefault(permutation, same)
            if permutation % 10 == 0 and result.status == pb.TargetResult.OK:
                self.sample.setdefault(permutation, sorted(v.code for v in result.variants))
            of_key = self.code.setdefault(result.key, code) if result.key else code
            when = "calm" if undisturbed else "faults"
            self.seconds["hit" if hit else "miss", when].append(seconds)
            if result.cache == pb.CACHE_MISS and result.status == pb.TargetResult.OK:
                self.acknowledged.append((life, permutation))
        self.check("answers are the first answer", first == same and of_key == code,
                   "permutation %d, key %s, from %s" % (permutation, result.key,
                                                        pb.CacheTier.Name(result.cache)))

    # The end --------------------------------------------------------------------------------------

    def verdict(self):
        """Prints the tables; returns True if there were no findings."""
        def table(title, rows, widths=(30, 34)):
            print("\n%s" % title)
            for row in rows:
                cells = [str(c).ljust(w) for c, w in zip(row, widths + (10,) * 5)]
                print("  " + "  ".join(cells).rstrip())
        table("How calls ended", [(a, l, n) for (a, l), n in sorted(self.ends.items())])
        table("Faults", sorted(collections.Counter(f.kind for f in self.faults).items()))
        rows = [("", "", "calls", "50 %", "90 %", "99 %", "most, ms")]
        for (kind, when), all_seconds in sorted(self.seconds.items()):
            ms = sorted(1000 * s for s in all_seconds)
            rows.append((kind, when, len(ms)) + tuple(
                "%.1f" % ms[min(len(ms) - 1, int(len(ms) * q))] for q in (0.5, 0.9, 0.99, 1)))
        table("Latency as clients see it (not judged)", rows, (6, 8))
        print("\nAt rest")
        for row in self.levels:
            print("  " + row)
        table("Compared, how often", [(n, w) for w, n in sorted(self.checks.items())], (8, 80))
        for note in self.notes:
            print("  note:", note)
        if self.findings:
            table("Findings", [(n, w) for w, n in self.findings.items()], (8, 80))
        requests = sum(self.ends.values())
        print("\nVERDICT: %s: %d requests, %d faults, %d findings" % (
            "FAIL" if self.findings else "PASS", requests, len(self.faults), len(self.findings)))
        return not self.findings
