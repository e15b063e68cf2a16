"""The clients of the soak: threads that make all kinds of requests until they are told to stop."""

import os
import random
import socket
import subprocess
import threading
import time

import grpc

MESSAGE_BYTES = 64 << 20
CHANNEL = [("grpc.max_receive_message_length", MESSAGE_BYTES),
           ("grpc.use_local_subchannel_pool", 1),
           ("grpc.initial_reconnect_backoff_ms", 100),
           ("grpc.max_reconnect_backoff_ms", 500)]
PATIENCE = 120  # seconds, of clients that wait for their answer


class Clients:
    """All clients share `next_permutation`: mostly recent permutations, now and then a new one."""

    def __init__(self, daemon, judge, requests, pb, compiler_pb2, stubs, kiln, shaders, seed):
        self.daemon, self.judge, self.requests = daemon, judge, requests
        self.pb, self.compiler_pb2, self.stubs = pb, compiler_pb2, stubs
        self.kiln, self.shaders, self.seed = kiln, shaders, seed
        self.count = 0  # permutations asked for
        self.round = 0
        self.running = threading.Event()
        self.threads = []
        self.of_thread = threading.local()  # .lost: its channel has no connection

    def start(self, kinds):
        """Starts a thread for each of `kinds`, names of methods."""
        self.round += 1
        self.running.set()
        self.threads = [threading.Thread(target=self.run, args=(kind, n), daemon=True)
                        for n, kind in enumerate(kinds)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.running.clear()
        for thread in self.threads:
            thread.join(PATIENCE + 60)
            if thread.is_alive():
                self.judge.finding("a client has not come back: a call without an end")
        self.threads = []

    def run(self, kind, number):
        rng = random.Random("%d client %d %d" % (self.seed, self.round, number))
        try:
            while self.running.is_set():
                # A channel that could not connect waits before it tries again, for too long if many
                # threads want the processor; a new one does not wait.
                self.of_thread.lost = False
                with grpc.insecure_channel(self.daemon.address, options=CHANNEL) as channel:
                    stub = self.stubs.CompilerStub(channel)
                    while self.running.is_set() and not self.of_thread.lost:
                        getattr(self, kind)(rng, stub, channel)
        except Exception as e:
            self.judge.finding("client %s failed: %r" % (kind, e))
            raise

    def failed(self, error):
        """Returns the label of a call that ended with an error."""
        if error.code() == grpc.StatusCode.UNAVAILABLE:
            time.sleep(0.05)
            self.of_thread.lost = "connect" in error.details()
        return "%s: %s" % (error.code().name, error.details())

    def pick(self, rng):
        draw = rng.random()
        if draw < 0.2 or self.count < 10:
            self.count += 1
            return self.count
        if draw < 0.3:
            return rng.randrange(1, self.count + 1)
        return max(1, self.count - int(rng.expovariate(1 / 40.0)))

    # One call -------------------------------------------------------------------------------------

    def result_label(self, result):
        status = self.pb.TargetResult.Status.Name(result.status)
        if status == "OK":
            return "OK"
        return "%s/%s" % (status, "" if status == "NOT_CACHED" else result.cause)

    def call(self, asked, permutation, stub, request, timeout=PATIENCE, cancel_after=None,
             metadata=()):
        """Makes one unary call and judges it; returns its result or None."""
        began, life = time.monotonic(), self.daemon.pid
        calm = not self.judge.troubled(began)
        result = None
        try:
            future = stub.Compile.future(request, timeout=timeout, metadata=metadata)
            if cancel_after is not None:
                time.sleep(cancel_after)
                future.cancel()
            result = future.result().results[0]
            label = self.result_label(result)
        except grpc.RpcError as e:
            label = self.failed(e)
        except grpc.FutureCancelledError:
            label = "CANCELLED: by the client"
        self.judge.ended(asked, label, began, (life, self.daemon.pid), permutation,
                         result.message if result else "")
        if result is not None and permutation is not None:
            self.judge.answered(permutation, result, time.monotonic() - began,
                                calm and not self.judge.troubled(time.monotonic()), life)
        return result

    # Clients that wait for their answers ----------------------------------------------------------

    def compile(self, rng, stub, channel):
        p = self.pick(rng)
        request, _, _ = self.requests.permutation(p)
        self.call("compile", p, stub, request)

    def digests(self, rng, stub, channel):
        p = self.pick(rng)
        request, _, _ = self.requests.permutation(p)
        short = self.requests.by_digest(request)
        result = short and self.call("digest", p, stub, short)
        if result is None or result.status == self.pb.TargetResult.NOT_CACHED:
            self.call("compile", p, stub, request)

    def probe(self, rng, stub, channel):
        p = self.pick(rng)
        request, _, _ = self.requests.permutation(p)
        request.cache_policy = self.pb.CACHE_ONLY_IF_CACHED
        self.call("probe", p, stub, request)
        time.sleep(0.01)

    def stored(self, permutations):
        """Checks that each permutation is in the cache."""
        with grpc.insecure_channel(self.daemon.address, options=CHANNEL) as channel:
            stub = self.stubs.CompilerStub(channel)
            for p in permutations:
                request, _, _ = self.requests.permutation(p)
                request.cache_policy = self.pb.CACHE_ONLY_IF_CACHED
                result = None
                for _ in range(50):  # other clients may fill the queue, or the connections
                    result = self.call("probe", p, stub, request)
                    if result is not None:
                        break
                    time.sleep(0.1)
                self.judge.check("stored before a restart, there after it", result is not None and
                                 result.status != self.pb.TargetResult.NOT_CACHED,
                                 "permutation %d" % p)

    def stream(self, rng, stub, channel):
        """Sends items by digest first, then with their sources where they are missing."""
        items = {}
        for n in range(1, rng.randrange(2, 40)):
            p = self.pick(rng)
            items[n] = (p, self.requests.permutation(p)[0])
        missing = self.items("digest", stub, {
            n: (p, self.requests.by_digest(r) or r) for n, (p, r) in items.items()})
        self.items("item", stub, {n: items[n] for n in missing})

    def items(self, asked, stub, items):
        """Returns those of `items` that came back NOT_CACHED."""
        if not items:
            return []
        began, life, missing, open_items = time.monotonic(), self.daemon.pid, [], set(items)
        ready = threading.Semaphore(0)
        over = threading.Event()

        def send():
            for n, (_, request) in items.items():
                while not ready.acquire(timeout=1):
                    if over.is_set():
                        return
                yield self.compiler_pb2.StreamRequest(item=n, request=request)
        try:
            for answer in stub.CompileStream(send(), timeout=PATIENCE):
                for _ in range(answer.credits or 1):
                    ready.release()
                if not answer.item:
                    continue
                lives = (life, self.daemon.pid)
                if answer.item not in open_items:
                    self.judge.finding("a stream answered item %d twice" % answer.item)
                open_items.discard(answer.item)
                p = items[answer.item][0]
                if answer.HasField("error"):
                    names = {c.value[0]: c.name for c in grpc.StatusCode}
                    label = "%s: %s" % (names.get(answer.error.code), answer.error.message)
                    self.judge.ended(asked, label, began, lives, p)
                    continue
                result = answer.response.results[0]
                label = self.result_label(result)
                self.judge.ended(asked, label, began, lives, p, result.message)
                self.judge.answered(p, result, time.monotonic() - began, False, life)
                if label.startswith("NOT_CACHED"):
                    missing.append(answer.item)
            if open_items:
                self.judge.finding("a stream ended well with %d items unanswered" % len(open_items))
        except grpc.RpcError as e:
            label = self.failed(e)
            for n in open_items:
                self.judge.ended(asked, label, began, (life, self.daemon.pid), items[n][0])
        finally:
            over.set()
        return missing

    # Clients that do not wait ---------------------------------------------------------------------

    def cancelled(self, rng, stub, channel):
        p = self.pick(rng)
        request, _, _ = self.requests.permutation(p)
        self.call("cancelled", p, stub, request, cancel_after=rng.uniform(0, 0.02))

    def deadline(self, rng, stub, channel):
        p = self.pick(rng)
        request, _, _ = self.requests.permutation(p)
        self.call("deadline", p, stub, request, timeout=rng.choice([0.0001, 0.001, 0.005, 0.02]))
        time.sleep(0.01)

    def unread(self, rng, stub, channel):
        """Requests much in a stream and reads the first answer only."""
        began = time.monotonic()

        def send():
            for n in range(1, 60):
                request, _, _ = self.requests.permutation(self.pick(rng))
                request.outputs.assembly = request.outputs.pass_records = True
                yield self.compiler_pb2.StreamRequest(item=n, request=request)
        try:
            call = stub.CompileStream(send(), timeout=PATIENCE)
            next(call)
            self.pause(rng, 3)
            call.cancel()
            label = "CANCELLED: by the client"
        except grpc.RpcError as e:
            label = self.failed(e)
        self.judge.ended("unread", label, began)
        self.uncertain(60)

    def killed_client(self, rng, stub, channel):
        """Runs kiln batch and kills it in the middle of its work."""
        began = time.monotonic()
        batch = subprocess.Popen(
            [self.kiln, "batch", "--server=" + self.daemon.address, "--target=tgl", "-q",
             "--jobs=8", "--cache=" + rng.choice(["use", "refresh"]), "--patience=5", self.shaders],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = batch.wait(rng.uniform(0.05, 1))
            label = "exit %d" % code
        except subprocess.TimeoutExpired:
            batch.kill()
            batch.wait()
            label = "killed"
        self.uncertain(200)
        self.judge.ended("killed_client", label, began)
        self.pause(rng, 4)

    def idle(self, rng, stub, channel):
        """Holds connections that send nothing, well below the limit."""
        began, held = time.monotonic(), []
        host, port = self.daemon.address.split(":")
        label = "connected"
        for _ in range(rng.randrange(50, 200)):
            try:
                held.append(socket.create_connection((host, int(port)), timeout=20))
            except OSError:
                label = "refused"
        self.pause(rng, 2)
        for s in held:
            s.close()
        self.judge.ended("idle", label, began)

    # Invalid requests -----------------------------------------------------------------------------

    def wrong(self, rng, stub, channel):
        what = rng.choice(["invalid", "too_long", "oversized", "broken", "broken", "bad_glsl"])
        if what == "invalid":
            self.raw(rng, channel)
        elif what == "too_long":
            self.call(what, None, stub, self.requests.too_long((1 << 20) + 4))
        elif what == "oversized":
            self.call(what, None, stub, self.requests.too_long(3 << 20))
        elif what == "broken":
            self.call(what, None, stub, self.requests.broken(rng))
        else:
            self.call(what, None, stub, self.requests.bad_glsl(rng))
        time.sleep(0.02)

    def raw(self, rng, channel):
        began, life = time.monotonic(), self.daemon.pid
        method = channel.unary_unary("/kiln.v1.Compiler/Compile")
        try:
            method(self.requests.invalid(rng), timeout=PATIENCE)
            label = "OK"
        except grpc.RpcError as e:
            label = self.failed(e)
        self.judge.ended("invalid", label, began, (life, self.daemon.pid))

    def burst(self, rng, stub, channel):
        """Sends more at once than may wait, and modules that exceed the bound on request bytes together."""
        began, life = time.monotonic(), self.daemon.pid
        if rng.random() < 0.5:
            asked = "compile"
            batch = [self.requests.permutation(self.pick(rng))[0] for _ in range(60)]
            for request in batch:
                request.cache_policy = self.pb.CACHE_REFRESH
        else:
            asked = "broken"
            batch = [self.requests.too_long(900 << 10)] * 14
        futures = [stub.Compile.future(r, timeout=PATIENCE) for r in batch]
        for future in futures:
            text = ""
            try:
                result = future.result().results[0]
                label, text = self.result_label(result), result.message
            except grpc.RpcError as e:
                label = self.failed(e)
            self.judge.ended(asked, label, began, (life, self.daemon.pid), None, text)
        self.pause(rng, 3)

    # Jobs with injected faults --------------------------------------------------------------------

    def injected(self, rng, stub, channel):
        asked, fault = rng.choice([
            ("injected_crash", "crash"), ("injected_crash", "abort"), ("injected_crash", "exit"),
            ("injected_hang", "hang"), ("injected_hang", "spin"), ("injected_memory", "allocate")])
        # A unique key: other clients must not join its compile.
        request, _, _ = self.requests.permutation(rng.randrange(1 << 20))
        request.options.bisect_limit = rng.randrange(1 << 30, 1 << 40)
        self.call(asked, None, stub, request, metadata=(("kiln-fault", fault),))
        self.pause(rng, 0.5)

    # Monitoring -----------------------------------------------------------------------------------

    def look(self, rng, stub, channel):
        for page in ("metrics", "healthz"):
            began = time.monotonic()
            status, text = self.daemon.page(page)
            label = "200" if status == "200" else "%s: %s" % (status, text[:200])
            self.judge.ended(page, label, began)
        self.pause(rng, 0.4)

    def quarantine(self, rng, stub, channel):
        began = time.monotonic()
        listed = subprocess.run(
            [self.kiln, "quarantine", "list", "--server=" + self.daemon.address],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.judge.ended("quarantine", "exit %d" % listed.returncode, began,
                         text=listed.stdout[:200])
        self.pause(rng, 3)

    def pause(self, rng, most):
        end = time.monotonic() + rng.uniform(0, most)
        while self.running.is_set() and time.monotonic() < end:
            time.sleep(0.05)

    def uncertain(self, count):
        """Counts requests whose ends no client saw."""
        with self.judge.lock:
            self.judge.by_life[self.daemon.pid, "uncertain"] += count
