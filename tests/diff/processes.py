"""Programs that answer a line with a line of JSON (mir_run --list, eu_run --list), kept running: starting
one takes longer than most of its answers. The words of a line have tabs between them: paths may have
blanks."""

import json
import os
import select
import subprocess
import tempfile
import threading


class Server:
    """One process; started at the first question, and again after it died or took too long."""

    def __init__(self, command):
        self.command = command
        self.process = None
        self.errors = None
        self.pending = b""

    def start(self):
        self.pending = b""
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, bufsize=0)

    def stop(self):
        """Ends the process and returns its last words and its exit status."""
        self.process.stdin.close()
        self.process.kill()
        status = self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        text = self.errors.read()[-300:].decode(errors="replace")
        self.errors.close()
        self.process = None
        return status, text

    def line(self, timeout):
        """Returns the next line, or None at the end of output or after the timeout."""
        out = self.process.stdout.fileno()
        parts = [self.pending]
        while b"\n" not in parts[-1]:
            if not select.select([out], [], [], timeout)[0]:
                return None
            parts.append(os.read(out, 1 << 20))
            if not parts[-1]:
                return None
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return line

    def ask(self, words, timeout):
        """Returns the answer; {"ok": False, "stage", "cause": "crash" or "timeout", "error"} if there is none."""
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(("\t".join(words) + "\n").encode())
            line = self.line(timeout)
        except BrokenPipeError:
            line = None
        if line is not None:
            return json.loads(line)
        try:
            self.process.wait(timeout=1)
            cause = "crash"
        except subprocess.TimeoutExpired:
            cause = "timeout"
        status, text = self.stop()
        error = "exit %d: %s" % (status, text) if cause == "crash" else "%d s" % timeout
        return {"ok": False, "stage": "run", "cause": cause, "error": cause + ": " + error}

    def close(self):
        if self.process is not None:
            self.stop()


class Pool:
    """A server of each program for each thread."""

    def __init__(self):
        self.local = threading.local()
        self.all = []

    def ask(self, program, words, timeout):
        servers = self.local.__dict__.setdefault("servers", {})
        if program not in servers:
            servers[program] = Server([program, "--list", "/dev/stdin"])
            self.all.append(servers[program])
        return servers[program].ask(words, timeout)

    def close(self):
        for server in self.all:
            server.close()
