"""Faults against the daemon: processes killed and stopped, its cache damaged, its log unread.

Each fault is a method; `judge.begin` and `judge.end` mark the time in which it explains errors.
Damage to the cache explains none: it may cost compiles, never an answer.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import time


class Faults:
    def __init__(self, daemon, judge, seed, tmpfs):
        self.daemon, self.judge, self.tmpfs = daemon, judge, tmpfs
        self.rng = random.Random("%d faults" % seed)
        self.probe = lambda: None  # requests stored results; set by the soak
        self.all = [self.kill_worker, self.freeze_worker, self.kill_daemon, self.kill_daemon,
                    self.stop_daemon, self.reload, self.flip_bytes, self.flip_bytes_while_down,
                    self.delete_file, self.move_directory, self.deaf_reader, self.flood]
        if tmpfs:
            self.all += [self.full_disk, self.read_only]

    def schedule(self, until, most_pause):
        """Injects faults at random times, each kind once before any is repeated."""
        bag = []
        while time.monotonic() < until:
            if not bag:
                bag = self.all[:]
                self.rng.shuffle(bag)
            bag.pop()()
            time.sleep(min(self.rng.uniform(0, most_pause), max(0, until - time.monotonic())))

    def wait(self, least, most):
        time.sleep(self.rng.uniform(least, most))

    # Processes

    def signal_worker(self, number):
        workers = self.daemon.workers()
        if not workers:
            return None
        try:
            victim = self.rng.choice(workers)
            os.kill(victim, number)
            return victim
        except ProcessLookupError:
            return None

    def kill_worker(self):
        fault = self.judge.begin("kill_worker")
        self.signal_worker(signal.SIGKILL)
        self.judge.end(fault)

    def freeze_worker(self):
        """Stops a worker; half of them are woken up again."""
        fault = self.judge.begin("freeze_worker")
        victim = self.signal_worker(signal.SIGSTOP)
        if victim and self.rng.random() < 0.5:
            self.wait(0.2, 3)
            try:
                os.kill(victim, signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.judge.end(fault, after=13)  # --job-time and the time to find it

    def restart(self, kind, end, between=lambda: None):
        fault = self.judge.begin(kind)
        undamaged, life = not self.daemon.damaged, self.daemon.pid
        end()
        stored = [p for pid, p in self.judge.acknowledged if pid == life]
        between()
        self.wait(0, 0.5)
        if self.daemon.start() and undamaged and between == self.nothing:
            self.probe(stored)
        self.judge.end(fault)

    @staticmethod
    def nothing():
        pass

    def kill_daemon(self):
        self.restart("kill_daemon", self.daemon.kill, self.nothing)

    def stop_daemon(self):
        self.restart("stop_daemon", self.daemon.stop, self.nothing)

    def reload(self):
        fault = self.judge.begin("reload")
        self.daemon.configure(self.rng.choice(["info", "debug", "warning"]),
                              self.rng.choice(["10s", "12s"]))
        self.daemon.process.send_signal(signal.SIGHUP)
        self.judge.end(fault)

    def deaf_reader(self):
        fault = self.judge.begin("deaf_reader")
        self.daemon.reading.clear()
        self.wait(1, 5)
        self.daemon.reading.set()
        self.judge.end(fault)

    def flood(self):
        """Opens more idle connections than the daemon accepts."""
        fault = self.judge.begin("flood")
        host, port = self.daemon.address.split(":")
        held = []
        for _ in range(500):
            try:
                held.append(socket.create_connection((host, int(port)), timeout=5))
            except OSError:
                break
        self.wait(0.5, 2)
        for s in held:
            s.close()
        self.judge.end(fault)

    # The cache

    def files(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.daemon.directory)
                for name in names if "generation-" in folder]

    def damage(self):
        self.daemon.damaged = True
        files = self.files()
        for path in self.rng.sample(files, min(len(files), 3)):
            try:
                size = os.path.getsize(path)
                with open(path, "r+b") as f:
                    for _ in range(self.rng.randrange(1, 5)):
                        f.seek(self.rng.randrange(max(1, size)))
                        byte = f.read(1)
                        if byte:
                            f.seek(-1, os.SEEK_CUR)
                            f.write(bytes([byte[0] ^ (1 << self.rng.randrange(8))]))
            except OSError:
                pass  # the daemon has removed it

    def flip_bytes(self):
        fault = self.judge.begin("flip_bytes")
        self.damage()
        self.judge.end(fault)

    def flip_bytes_while_down(self):
        self.judge.end(self.judge.begin("flip_bytes_while_down"))
        self.restart("kill_daemon", self.daemon.kill, self.damage)

    def delete_file(self):
        fault = self.judge.begin("delete_file")
        self.daemon.damaged = True
        files = self.files()
        if files:
            try:
                os.remove(self.rng.choice(files))
            except OSError:
                pass
        self.judge.end(fault)

    def move_directory(self):
        """Moves the whole directory away."""
        fault = self.judge.begin("move_directory")
        self.daemon.damaged = True
        away = self.daemon.directory + ".away"
        try:
            os.rename(self.daemon.directory, away)
        except OSError:
            pass
        self.wait(0.5, 3)
        shutil.rmtree(away, ignore_errors=True)
        self.judge.end(fault)

    def full_disk(self):
        fault = self.judge.begin("full_disk")
        self.daemon.damaged = True  # results without room are not stored
        filler = os.path.join(self.tmpfs, "filler")
        with open(filler, "wb", buffering=0) as f:
            try:
                for size in (1 << 20, 4096):
                    try:
                        while True:
                            f.write(bytes(size))
                    except OSError:
                        pass
            finally:
                self.wait(1, 4)
        os.remove(filler)
        self.judge.end(fault)

    def read_only(self):
        """Starts it on a read-only file system that becomes writable later."""
        self.restart("read_only", self.daemon.stop, lambda: self.remount("ro"))
        self.daemon.damaged = True
        self.wait(0.5, 3)
        self.remount("rw")

    def remount(self, how):
        subprocess.run(["mount", "-o", "remount," + how, self.tmpfs], check=True)
