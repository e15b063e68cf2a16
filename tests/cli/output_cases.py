"""Where output goes: full disks, closed pipes, terminals."""

import json
import os
import pty
import select
import subprocess
import threading
import time

from fixture import KILN, SAXPY, SHADERS, Cli, Daemon


class Output(Cli):
    """Standard output and files that cannot be written: exit code 2, whatever the command."""

    def commands(self):
        self.kiln('compile', '--target=tgl', '--widths=8', '-o', 'out', SAXPY)
        code = 'out/saxpy.comp.tgl.8.bin'
        jsonl = os.path.join(self.folder, 'r.jsonl')
        self.kiln('batch', '--target=tgl', '--jsonl=' + jsonl, SAXPY)
        job = self.file('job.json', json.dumps({'push': [{'f32': 2}, {'u32': 1}], 'resources': [
            {'binding': b, 'data': {'f32': [1]}} for b in (0, 1)]}))
        return [['--help'], ['--version'], ['batch', '--help'], ['targets', '--passes'], ['health'],
                ['compile', '--target=tgl', SAXPY], ['compile', '--target=tgl', '--json', SAXPY],
                ['compile', '--target=tgl', '--asm', SAXPY],
                ['compile', '--target=tgl', '--widths=8', '-o', '-', SAXPY],
                ['batch', '--target=tgl', SAXPY], ['batch', '--target=tgl', '--jsonl=-', SAXPY],
                ['disasm', '--target=tgl', code], ['analyze', '--target=tgl', code],
                ['run', '--target=tgl', '--buffers=' + job, SAXPY], ['report', jsonl, jsonl]]

    def test_a_full_disk(self):
        for command in self.commands():
            with open('/dev/full', 'w') as full:
                done = subprocess.run([KILN, *command], stdout=full, stderr=subprocess.PIPE,
                                      cwd=self.folder, env=self.environment(), timeout=60)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b'cannot write: No space left on device', done.stderr, command)

    def test_a_closed_pipe(self):
        for command in self.commands():
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([KILN, *command], stdout=writer, stderr=subprocess.PIPE,
                                  cwd=self.folder, env=self.environment(), timeout=60)
            os.close(writer)
            self.assertEqual(done.returncode, 2, command)
            # A reader that closes the pipe early needs no message; results that are incomplete need
            # one.
            self.assertEqual(done.stderr != b'', command[0] == 'batch' and command[1] != '--help', command)

    def test_no_standard_output_at_all(self):
        for command in self.commands()[:6]:
            done = subprocess.run(['sh', '-c', 'exec "$0" "$@" >&-', KILN, *command],
                                  stderr=subprocess.PIPE, cwd=self.folder, env=self.environment(),
                                  timeout=60)
            self.assertEqual(done.returncode, 2, command)

    def test_a_batch_ends_when_its_lines_cannot_be_written(self):
        """Ends at once, not after all 200,000 files."""
        listed = self.file('list', (SAXPY + '\n') * 200000)
        flags = ['batch', '--target=tgl', '--list=' + listed]
        self.kiln(*flags, '--jsonl=/dev/full', expect=2)
        self.assertIn('--jsonl=/dev/full: cannot write: No space left on device', self.err)
        process = subprocess.Popen([KILN, *flags, '--jsonl=-'], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder, env=self.environment())
        self.assertEqual(json.loads(process.stdout.readline())['status'], 'ok')
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 2)
        self.assertRegex(err, rb'the reader of the results has closed the pipe; \d+ of 200000 files were written')

    def test_a_file_that_may_not_grow(self):
        """As on a full disk: the file holds whole lines only."""
        listed = self.file('list', (SAXPY + '\n') * 2000)
        done = subprocess.run(
            ['bash', '-c', 'ulimit -f 200; exec "$0" "$@"', KILN, 'batch', '--target=tgl',
             '--list=' + listed, '--jsonl=r.jsonl'],
            capture_output=True, cwd=self.folder, env=self.environment(), timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b'--jsonl=r.jsonl: cannot write: File too large', done.stderr)
        with open(os.path.join(self.folder, 'r.jsonl')) as file:
            lines = [json.loads(line) for line in file]
        self.assertGreater(len(lines), 20)

    def test_fifos(self):
        def reader(name, into):
            fifo = os.path.join(self.folder, name)
            os.mkfifo(fifo)
            thread = threading.Thread(target=lambda: into.append(open(fifo, 'rb').read()))
            thread.start()
            return fifo, thread

        def writer(name, contents):
            fifo = os.path.join(self.folder, name)
            os.mkfifo(fifo)
            thread = threading.Thread(target=lambda: open(fifo, 'wb').write(contents))
            thread.start()
            return fifo, thread

        with open(SAXPY, 'rb') as file:
            saxpy = file.read()
        source, thread = writer('in.comp', saxpy)
        self.assertEqual(self.line(self.kiln('compile', '--target=tgl', '--json', source))['status'], 'ok')
        thread.join()
        listed, thread = writer('list', SAXPY.encode())
        read = []
        lines, reading = reader('lines', read)
        self.kiln('batch', '--target=tgl', '--list=' + listed, '--jsonl=' + lines)
        thread.join()
        reading.join()
        self.assertEqual(json.loads(read[0])['status'], 'ok')
        # A report of an empty input ends; outputs that are not regular files are written to, not
        # replaced.
        empty, thread = writer('empty', b'')
        results = self.file('r.jsonl', read[0])
        self.fails(2, 'has no results', 'report', empty, results)
        thread.join()
        page = []
        html, reading = reader('html', page)
        self.kiln('report', '--html=' + html, results, results)
        reading.join()
        self.assertIn(b'<html', page[0])
        self.assertTrue(os.path.exists(html) and not os.path.isfile(html))
        self.fails(2, '/dev/full: cannot write: No space left', 'report', '--html=/dev/full', results,
                   results)


class Terminal(Cli):
    def on_terminal(self, *arguments, **more):
        """Returns standard output and error of kiln on a terminal."""
        parent, child = pty.openpty()
        process = subprocess.Popen([KILN, *arguments], stdout=child, stderr=child, cwd=self.folder,
                                   env=self.environment(**more))
        os.close(child)
        text = b''
        while select.select([parent], [], [], 120)[0]:
            try:
                block = os.read(parent, 65536)
            except OSError:
                break
            if not block:
                break
            text += block
        process.wait(60)
        os.close(parent)
        return text.decode('utf-8', 'replace')

    def test_colours(self):
        self.assertIn('\x1b[32mok', self.on_terminal('compile', '--target=tgl', SAXPY))
        self.assertNotIn('\x1b', self.on_terminal('compile', '--target=tgl', SAXPY, NO_COLOR='1'))
        self.assertNotIn('\x1b', self.on_terminal('compile', '--target=tgl', '--color=never', SAXPY))
        self.assertIn('\x1b[32mok', self.kiln('compile', '--target=tgl', '--color=always', SAXPY))

    def test_progress_on_terminals_only(self):
        flags = ['batch', '--target=tgl', '--cache=bypass', SHADERS]
        self.assertRegex(self.on_terminal(*flags), r'\r *\d+/\d+ \[[#-]+\] +\d+%.*/s')
        self.kiln(*flags)
        self.assertNotIn('\r', self.err)


    def test_progress_says_that_it_waits(self):
        daemon = Daemon()
        listed = self.file('list', (SAXPY + '\n') * 200000)
        path = self.file('r.jsonl', '')

        def leave():
            while os.path.getsize(path) == 0:
                time.sleep(0.05)
            daemon.stop()
        leaves = threading.Thread(target=leave)
        leaves.start()
        text = self.on_terminal('batch', '--server=' + daemon.address, '--target=tgl', '--patience=3',
                                '--cache=bypass', '--list=' + listed, '--jsonl=' + path)
        leaves.join()
        self.assertRegex(text, r'\r *\d+/200000 (\[[#-]+\])? +\d+%  waiting for 127\.0\.0\.1:\d+ '
                         r'0:0[123] of 0:03')
        self.assertIn('does not answer (', text)
