"""Runs one test: its commands in order, on `kiln run`."""

import os
import shutil
import tempfile
import time

import numpy as np

import draws
from amberscript import Amber
from draws import Draw, attribute, grid, positions, rectangle
from expect import Judge
from formats import ParseError, Unsupported
from interpreter import Interpreter
from kiln import Kiln, Refused, spec_values
from resources import Resources
from shaders import EMPTY
from vkscript import Vk

TILE, TILES, MIN_SAMPLED = 16, 24, 16384   # edge and number of tiles; pixels of a target that is sampled
STAGES = {'vertex', 'fragment', 'compute'}


def parse(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    if text.lstrip('\ufeff').startswith('#!amber'):
        return Amber(path, text).parse()
    return Vk(path, text).parse()


class TestRun:
    """`options`: kiln, target, interpreter, flags, seconds, instructions (of a draw, before it is sampled), scratch, maker."""

    def __init__(self, path, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix='outside-', dir=options.scratch)
        self.script = parse(path)
        self.judge = Judge()
        self.kiln = (Interpreter(options.interpreter, self.folder) if options.interpreter
                     else Kiln(options.kiln, options.target, options.flags, self.folder))
        self.notes = []
        self.end = time.time() + options.seconds

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    # ---- programs
    def module(self, pipeline, stage):
        """Returns path and attachment of a stage's shader."""
        shader = pipeline.shaders[stage]
        path, error = self.options.maker.make(self.script.shaders[shader['name']],
                                              pipeline.opt.get(shader['name'], ()))
        if path is None:
            raise Refused('toolchain', error.strip().replace('\n', ' ')[:300])
        return path, shader

    def subgroup_flags(self, pipeline, shader):
        flags, block = [], pipeline.subgroup.get(shader['name'], {})
        size = block.get('REQUIRED_SIZE', ['0'])[0]
        if size != '0':
            flags.append('--subgroup-size=' + {'MIN': '8', 'MAX': '32'}.get(size, size))
        if block.get('FULLY_POPULATED', ['off'])[0] == 'on':
            flags.append('--full-subgroups')
        return flags

    def run(self, shaders, job, flags):
        left = self.end - time.time()
        try:
            answer = self.kiln.run(shaders, job, flags, max(1.0, left))
        except Refused as e:
            if 'partial_subgroups' not in str(e) or '--full-subgroups' not in flags:
                raise
            self.note('full subgroups of a workgroup that no width divides: run without')
            return self.run(shaders, job, [f for f in flags if f != '--full-subgroups'])
        if answer['out_of_bounds']['accesses']:
            self.note('accesses out of bounds')
        return answer

    def job(self, pipeline):
        resources = Resources(self.script, self.folder).add(pipeline)
        job = {'resources': resources.list}
        if resources.push is not None:
            job['push'] = {'file': resources.file(resources.push)}
        return resources, job

    def compute(self, pipeline, groups):
        if 'compute' not in pipeline.shaders:
            raise Unsupported('no compute shader')
        path, shader = self.module(pipeline, 'compute')
        resources, job = self.job(pipeline)
        job.update(dispatch=[int(g) for g in groups], spec=spec_values(shader['spec']))
        self.run([path], job, ['--entry=' + shader['entry'], *self.subgroup_flags(pipeline, shader)])
        resources.take_back()

    # ---- draws
    def draw(self, pipeline, topology, vertices):
        """`vertices`: the job's, with inputs."""
        others = sorted(set(pipeline.shaders) - STAGES)
        if others:
            raise Unsupported('stage ' + others[0])
        if 'vertex' not in pipeline.shaders:
            raise Unsupported('no vertex shader')
        if pipeline.state.get('discard'):
            raise Unsupported('rasterizerDiscardEnable')
        resources, job = self.job(pipeline)
        draw = Draw(self.script, pipeline, topology, resources)
        vertex, first = self.module(pipeline, 'vertex')
        entries, flags = [first['entry'], 'main'], []
        job.update(vertices=vertices, draw=draw.job, spec={}, vertex_spec=spec_values(first['spec']))
        if 'fragment' in pipeline.shaders:
            fragment, second = self.module(pipeline, 'fragment')
            entries[1] = second['entry']
            job['spec'] = spec_values(second['spec'])
            flags = self.subgroup_flags(pipeline, second)
        else:
            fragment = self.options.maker.make(EMPTY)[0]
        flags = ['--entry=' + ','.join(entries), *flags, *self.state(draw)]
        drawn = self.sample([vertex, fragment], job, flags, pipeline, draw, resources)
        if drawn is None:
            self.run([vertex, fragment], job, flags)
        resources.take_back()
        draw.take_back()
        for bind in draw.colors:
            draw.buffer(bind).drawn = drawn

    def state(self, draw):
        """Flags for the state that the fragment shader is compiled for."""
        if draw.samples == 1:
            return []
        name = os.path.join(self.folder, 'state.json')
        with open(name, 'w', encoding='utf-8') as f:
            f.write('{"fragment": {"samples": %d}}' % draw.samples)
        return ['--state=' + name]

    def sample(self, shaders, job, flags, pipeline, draw, resources):
        """Draws some tiles of a large picture instead of all; returns the mask of the drawn pixels, None: not done."""
        w, h = pipeline.fb
        passes = self.script.shaders[pipeline.shaders['vertex']['name']]['form'] == 'PASSTHROUGH'
        stores = any(b['as'].startswith('storage') for b in pipeline.binds if b['as'])
        whole = job['vertices'].get('whole', False)
        job['vertices'].pop('whole', None)
        if not whole or not passes or stores or w * h < MIN_SAMPLED or draw.job.get('viewport') or draw.samples > 1:
            return None
        tiles = choose_tiles(w, h)
        probe = dict(job, vertices=tile_vertices(tiles[:2], w, h), draw=dict(draw.job, topology='triangle_list'))
        before = self.kiln.instructions
        self.run(shaders, probe, flags)
        estimate = (self.kiln.instructions - before) * w * h / (2 * TILE * TILE)
        if estimate <= self.options.instructions:
            return None
        self.run(shaders, dict(probe, vertices=tile_vertices(tiles, w, h)), flags)
        mask = np.zeros((h, w), dtype=bool)
        for x, y in tiles:
            mask[y:y + TILE, x:x + TILE] = True
        self.note('drawn in %d tiles of %d x %d' % (len(tiles), TILE, TILE))
        return mask

    def rect(self, pipeline, x, y, w, h, pixels):
        corners = rectangle(pipeline.fb, x, y, w, h, pixels)
        whole = {(abs(float(a)), abs(float(b))) for a, b in corners} == {(1.0, 1.0)}
        self.draw(pipeline, 'TRIANGLE_STRIP', {'count': 4, 'inputs': [positions(corners)], 'whole': whole})

    def array(self, pipeline, words):
        """RUN ... DRAW_ARRAY"""
        topology, indexed, at = None, False, 1
        option = dict(START_IDX=0, COUNT=None, START_INSTANCE=0, INSTANCE_COUNT=1)
        while at < len(words):
            if words[at] == 'INDEXED':
                indexed, at = True, at + 1
                continue
            if words[at] == 'AS':
                topology = words[at + 1]
            elif words[at] in option:
                option[words[at]] = int(words[at + 1])
            else:
                raise Unsupported('DRAW_ARRAY ' + words[at])
            at += 2
        inputs, count = [], None
        for v in pipeline.vertex_data:
            values, elements = attribute(self.script, v)
            inputs.append(values)
            if v['rate'] == 'vertex':
                count = elements if count is None else min(count, elements)
        vertices = dict(inputs=inputs, instances=option['INSTANCE_COUNT'], first_instance=option['START_INSTANCE'])
        if indexed:
            data = self.script.buffers[pipeline.index]
            indices = np.frombuffer(bytes(data.data), dtype='<u%d' % data.fmt.size).astype(int).tolist()
            length = len(indices) - option['START_IDX'] if option['COUNT'] is None else option['COUNT']
            vertices.update(indices=indices[:length], vertex_offset=option['START_IDX'])
        else:
            length = (count or 0) - option['START_IDX'] if option['COUNT'] is None else option['COUNT']
            vertices.update(count=length, first_vertex=option['START_IDX'])
        if length > 0:
            self.draw(pipeline, topology, vertices)

    # ---- commands
    def command(self, name, t, line):
        handler = getattr(self, 'do_' + name.lower(), None)
        if handler is None:
            raise Unsupported('command ' + name)
        handler(t, line)

    def do_run(self, t, _):
        t = t[1:] if t[0] == 'TIMED_EXECUTION' else t
        pipeline = self.script.pipelines[t[0]]
        if pipeline.other:
            raise Unsupported('pipeline: ' + pipeline.other[0])
        if t[1] == 'DRAW_RECT':
            self.rect(pipeline, *[float(t[n]) for n in (3, 4, 6, 7)], True)
        elif t[1] == 'DRAW_GRID':
            corners = grid(pipeline.fb, *[float(t[n]) for n in (3, 4, 6, 7)], int(t[9]), int(t[10]))
            self.draw(pipeline, 'TRIANGLE_LIST', {'count': len(corners), 'inputs': [positions(corners)]})
        elif t[1] == 'DRAW_ARRAY':
            self.array(pipeline, t[1:])
        elif pipeline.kind == 'compute':
            self.compute(pipeline, t[1:])
        else:
            raise Unsupported('RUN ' + t[1])

    def do_draw_rect(self, t, _):
        if t[2]:
            raise Unsupported('patches')
        self.rect(self.script.pipelines[t[0]], *t[3:], t[1])

    def do_clear(self, t, _):
        draws.clear(self.script, self.script.pipelines[t[0]])

    def do_clear_color(self, t, _):
        self.script.pipelines[t[0]].clear_color = tuple(float(x) / 255 for x in t[1:5])

    def do_clear_color_f(self, t, _):
        self.script.pipelines[t[0]].clear_color = tuple(float(x) for x in t[1:5])

    def do_clear_depth(self, t, _):
        self.script.pipelines[t[0]].clear_depth = float(t[1])

    def do_clear_stencil(self, t, _):
        self.script.pipelines[t[0]].clear_stencil = int(t[1])

    def do_copy(self, t, _):
        source, target = self.script.buffers[t[0]], self.script.buffers[t[2]]
        target.data, target.width, target.height = bytes(source.data), source.width, source.height
        target.drawn = source.drawn

    def do_expect(self, t, line):
        self.judge.expect(self.script, t, line)

    def do_state(self, t, _):
        t[0].state(t[1], self.script.pipelines['g'])

    def do_entry(self, t, _):
        for pipeline in self.script.pipelines.values():
            if t[0] in pipeline.shaders:
                pipeline.shaders[t[0]]['entry'] = t[1]

    def do_size(self, t, _):
        buffer = self.script.buffers[t[0]]
        buffer.data = bytes(buffer.data).ljust(t[1] * buffer.fmt.size, b'\0')

    def do_write(self, t, _):
        buffer, data = self.script.buffers[t[0]], t[2].pack(t[3])
        old = bytes(buffer.data).ljust(t[1] + len(data), b'\0')
        buffer.data = old[:t[1]] + data + old[t[1] + len(data):]

    def do_probe(self, t, line):
        self.judge.checks += 1
        self.judge.values(self.script.buffers[t[0]], t[1], t[2], t[3], t[4], t[5], line)

    def do_probe_rect(self, t, line):
        self.judge.checks += 1
        buffer = self.script.buffers['framebuffer']
        self.judge.probe(buffer, t[1] or [0, 0, buffer.width, buffer.height], t[3], t[4], line)

    def result(self):
        """Runs the test; returns {status, why, ...}."""
        judge = self.judge
        try:
            for name, t, line in self.script.commands:
                self.command(name, t, line)
            status, why = ('disagrees', judge.fails[:4]) if judge.fails else ('agrees' if judge.checks else 'ran', None)
        except Unsupported as e:
            status, why = 'not expressible', str(e)
        except Refused as e:
            status, why = e.kind, str(e)
        r = dict(status=status, checks=judge.checks, runs=self.kiln.runs, instructions=self.kiln.instructions)
        if why:
            r['why'] = why
        if judge.fails and status != 'disagrees':
            r['also'] = judge.fails[:3]
        if self.notes:
            r['notes'] = self.notes
        if self.kiln.last and status not in ('agrees', 'ran', 'not expressible'):
            r['command'] = ' '.join(self.kiln.last)
        return r


def expected_failure(result):
    """Returns the result of a test that should fail: only a refusal or a wrong value is that failure, no broken run."""
    status = result['status']
    if status in ('refused', 'disagrees'):
        return dict(result, status='agrees')
    if status in ('agrees', 'ran'):
        return dict(result, status='disagrees', why='it should fail')
    return result


def run_test(path, options, keep=False):
    """Returns the result of a test as a dictionary."""
    try:
        run = TestRun(path, options)
    except (ParseError, Unsupported) as e:
        return dict(status='not expressible', why=str(e)[:200])
    result = run.result()
    if '.expect_fail.' in os.path.basename(path):
        result = expected_failure(result)
    if keep:
        result['folder'] = run.folder
    else:
        run.close()
    return result


def choose_tiles(w, h):
    """Corners of the tiles, always the same ones: two far apart first."""
    grid_of = [(x, y) for y in range(0, h - TILE + 1, TILE) for x in range(0, w - TILE + 1, TILE)]
    first = [grid_of[0], (w // 2 // TILE * TILE, h // 2 // TILE * TILE), grid_of[-1]]
    rest = [t for i, t in enumerate(grid_of) if t not in first and i * 7919 % len(grid_of) < TILES]
    return first + rest


def tile_vertices(tiles, w, h):
    corners = []
    for x, y in tiles:
        x0, y0, x1, y1 = x / w * 2 - 1, y / h * 2 - 1, (x + TILE) / w * 2 - 1, (y + TILE) / h * 2 - 1
        corners += [(x0, y1), (x0, y0), (x1, y1), (x0, y0), (x1, y0), (x1, y1)]
    return {'count': len(corners), 'inputs': [positions(corners)]}
