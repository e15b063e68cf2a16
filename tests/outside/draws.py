"""The draws of a test as jobs: vertices, state and attachments."""

import math
import os

import numpy as np

from formats import Unsupported, decode, encode, image_format
from resources import texel_format

COMPARES = {'less_or_equal': 'less_equal', 'greater_or_equal': 'greater_equal'}
TOPOLOGIES = {'POINT_LIST', 'LINE_LIST', 'LINE_STRIP', 'TRIANGLE_LIST', 'TRIANGLE_STRIP', 'TRIANGLE_FAN',
              'LINE_LIST_WITH_ADJACENCY', 'LINE_STRIP_WITH_ADJACENCY', 'TRIANGLE_LIST_WITH_ADJACENCY',
              'TRIANGLE_STRIP_WITH_ADJACENCY'}
DEPTH_FORMATS = {'D16_UNORM': 'd16', 'D16_UNORM_S8_UINT': 'd16', 'X8_D24_UNORM_PACK32': 'd24',
                 'D24_UNORM_S8_UINT': 'd24', 'D32_SFLOAT': 'd32f', 'D32_SFLOAT_S8_UINT': 'd32f'}


def on(block, key):
    return block.get(key, ['off'])[0] == 'on'


def pairs(words):
    """constant 1 clamp 0 -> {'constant': 1.0, 'clamp': 0.0}"""
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


def attribute(script, v):
    """Returns a vertex input of a job, and its number of elements."""
    buffer = script.buffers[v['buffer']]
    f = image_format(v['format']) if v['format'] else buffer.fmt
    if f.comps is None:
        raise Unsupported('vertex data of ' + f.name)
    if f.comps[0][1] == 64:
        raise Unsupported('64-bit vertex attribute')
    stride = v['stride'] or (f.size if v['format'] else buffer.fmt.size)
    data = bytes(buffer.data)[v['offset']:]
    tight = sum(bits for _, bits, _ in f.comps) // 8
    count = max(0, (len(data) - tight) // stride + 1)
    rows = b''.join(data[k * stride:k * stride + f.size].ljust(f.size, b'\0') for k in range(count))
    channels = decode(f, rows)
    names = sorted((c for c, _, _ in f.comps if c in 'RGBA'), key='RGBA'.index)
    mode = f.comps[0][2]
    values = np.stack([channels[c] for c in names], axis=1)
    key = {'uint': 'u32', 'sint': 'i32'}.get(mode, 'f32')
    if key != 'f32':
        numbers = values.astype(np.int64).reshape(-1).tolist()
    else:
        values = np.maximum(values, -1.0) if mode == 'snorm' else values
        numbers = [float(np.float32(x)) if math.isfinite(x) else 'nan' if x != x else 'inf' if x > 0 else '-inf'
                   for x in values.reshape(-1)]
    return {'location': v['location'], 'rate': v['rate'], 'components': len(names), key: numbers}, count


def rectangle(fb, x, y, w, h, pixels):
    """The vertices of DRAW_RECT, a strip, in clip space."""
    f = np.float32
    if pixels:
        x, y = f(x) / f(fb[0]) * f(2) - f(1), f(y) / f(fb[1]) * f(2) - f(1)
        w, h = f(w) / f(fb[0]) * f(2), f(h) / f(fb[1]) * f(2)
    x, y, w, h = f(x), f(y), f(w), f(h)
    return [(x, y + h), (x, y), (x + w, y + h), (x + w, y)]


def grid(fb, x, y, w, h, columns, rows):
    """The vertices of DRAW_GRID, a list of triangles."""
    f = np.float32
    x, y = f(x) / f(fb[0]) * f(2) - f(1), f(y) / f(fb[1]) * f(2) - f(1)
    cw, ch = f(w) / f(fb[0]) * f(2) / f(columns), f(h) / f(fb[1]) * f(2) / f(rows)
    corners = []
    for i in range(rows):
        for j in range(columns):
            x0, y0, x1, y1 = x + cw * f(j), y + ch * f(i), x + cw * f(j + 1), y + ch * f(i + 1)
            corners += [(x1, y1), (x0, y1), (x0, y0), (x1, y1), (x0, y0), (x1, y0)]
    return corners


def positions(corners):
    """Input 0 of these corners."""
    return {'location': 0, 'components': 2, 'f32': [float(c) for corner in corners for c in corner]}


def blend_of(block):
    """The blending of a target; None: off."""
    if block is None:
        return None
    names = {'SRC_COLOR_FACTOR': 'src', 'DST_COLOR_FACTOR': 'dst', 'COLOR_OP': 'op', 'SRC_ALPHA_FACTOR': 'alpha_src',
             'DST_ALPHA_FACTOR': 'alpha_dst', 'ALPHA_OP': 'alpha_op'}
    blend = dict(src='zero', dst='zero', op='add', alpha_src='zero', alpha_dst='zero', alpha_op='add')
    for key, value in block.items():
        if key not in names:
            raise Unsupported('blending: ' + key)
        blend[names[key]] = value[0]
    if blend['op'] not in ('add', 'subtract', 'reverse_subtract', 'min', 'max'):
        raise Unsupported('advanced blending: ' + blend['op'])
    return blend


def face_of(block):
    """The stencil state of a face."""
    compare = block.get('COMPARE_OP', ['always'])[0]
    face = {'compare': COMPARES.get(compare, compare)}
    for key, name in (('FAIL_OP', 'fail'), ('PASS_OP', 'pass'), ('DEPTH_FAIL_OP', 'depth_fail')):
        face[name] = block.get(key, ['keep'])[0]
    for key, name in (('COMPARE_MASK', 'compare_mask'), ('WRITE_MASK', 'write_mask'), ('REFERENCE', 'reference')):
        face[name] = int(block.get(key, ['0' if key == 'REFERENCE' else '0xffffffff'])[0], 0) & 0xffffffff
    return face


class Draw:
    """One draw of a pipeline: its part of a job, and the attachments that it changes."""

    def __init__(self, script, pipeline, topology, resources):
        if topology not in TOPOLOGIES:
            raise Unsupported('topology ' + topology)
        self.script, self.p, self.resources = script, pipeline, resources
        self.colors = [b for b in pipeline.binds if b['as'] == 'color']
        self.samples = max([self.buffer(b).samples for b in self.colors] or [1])
        self.job = dict(width=pipeline.fb[0], height=pipeline.fb[1], samples=self.samples, topology=topology.lower())
        self.results = []   # (kind, buffer, file)
        self.raster()
        self.targets()
        self.depth_stencil()

    def buffer(self, bind):
        return self.script.buffers[bind['names'][0]]

    def out(self, kind, bind):
        name = 'a%d.bin' % len(self.results)
        self.results.append((kind, bind, name))
        return name

    def raster(self):
        p = self.p
        if p.viewport:
            words = [w for w in p.viewport if w not in ('SIZE', 'MIN_DEPTH', 'MAX_DEPTH')]
            self.job['viewport'] = dict(zip(('x', 'y', 'width', 'height', 'min_depth', 'max_depth'), map(float, words)))
        self.job['polygon_mode'] = p.polygon
        self.job.update(p.state.get('draw', {}))

    def initial(self, data):
        return {'file': self.resources.file(bytes(data))}

    def targets(self):
        targets = []
        blend = blend_of(self.p.blend)
        for bind in self.colors:
            buffer = self.buffer(bind)
            at, w, h, _ = buffer.level(bind['level'])
            if (w, h) != tuple(self.p.fb):
                raise Unsupported('a target of another size than the framebuffer')
            size = w * h * buffer.fmt.size * buffer.samples
            if buffer.samples != self.samples:
                raise Unsupported('targets of different numbers of samples')
            target = {'location': bind['location'], 'format': texel_format(buffer), 'out': self.out('color', bind),
                      'data': self.initial(bytes(buffer.data)[at:at + size].ljust(size, b'\0'))}
            if blend and not texel_format(buffer).endswith('i'):
                target['blend'] = blend
            target.update(self.p.state.get('target', {}))
            targets.append(target)
        self.job['targets'] = targets

    def depth_stencil(self):
        binds = [b for b in self.p.binds if b['as'] == 'depth_stencil']
        test, depth = on(self.p.depth, 'TEST'), self.p.depth
        if on(depth, 'CLAMP'):
            self.job['depth_clamp'] = True
        if 'BIAS' in depth:
            self.job['depth_bias'] = pairs(depth['BIAS'])
        if not binds:
            return
        buffer = self.buffer(binds[0])
        name = buffer.fmt.vk
        if name in DEPTH_FORMATS:
            state = {'format': DEPTH_FORMATS[name], 'out': self.out('depth', binds[0])}
            if state['format'] == 'd32f' and 'VK_EXT_depth_range_unrestricted' in self.script.needs:
                del state['format']   # depth of a job without one is any float
            if len(buffer.data) == 0 or buffer.depth_plane is not None:
                plane = buffer.depth_plane
            else:
                plane = bytes(buffer.data) if name in ('D16_UNORM', 'D32_SFLOAT', 'X8_D24_UNORM_PACK32') else None
            if plane is not None:
                state['data'] = self.initial(plane)
            compare = depth.get('COMPARE_OP', ['always'])[0]   # Amber's default (its src/pipeline_data.h)
            state['compare'] = COMPARES.get(compare, compare) if test else 'always'
            state['write'] = test and on(depth, 'WRITE')
            bounds = depth.get('BOUNDS', [])
            if bounds[:1] == ['on']:
                limits = pairs(bounds[1:])
                state['bounds'] = [limits.get('min', 0.0), limits.get('max', 1.0)]
            self.job['depth'] = state
        if name and 'S8' in name:
            stencil = {'out': self.out('stencil', binds[0])}
            if buffer.stencil is not None:
                stencil['data'] = self.initial(buffer.stencil)
            front, back = self.p.stencil.get('FRONT', {}), self.p.stencil.get('BACK', {})
            if on(front, 'TEST') or on(back, 'TEST'):
                stencil.update(front=face_of(front), back=face_of(back))
            self.job['stencil'] = stencil

    def take_back(self):
        """Gives buffers what the draw left in the attachments."""
        for kind, bind, name in self.results:
            with open(os.path.join(self.resources.folder, name), 'rb') as f:
                data = f.read()
            buffer = self.buffer(bind)
            if kind == 'color':
                at = buffer.level(bind['level'])[0]
                old = bytes(buffer.data).ljust(at + len(data), b'\0')
                buffer.data = old[:at] + data + old[at + len(data):]
            elif kind == 'depth':
                keep_depth(buffer, data)
            else:
                buffer.stencil = data
        self.resolve()

    def resolve(self):
        """Averages the samples of multisampled targets into what they are resolved to."""
        into = [b for b in self.p.binds if b['as'] == 'resolve']
        many = [b for b in self.colors if self.buffer(b).samples > 1]
        for source, target in zip(many, into):
            a, b = self.buffer(source), self.buffer(target)
            channels = decode(a.fmt, bytes(a.data))
            count = len(bytes(a.data)) // a.fmt.size // a.samples
            rgba = np.zeros((count, 4))
            for k, c in enumerate('RGBA'):
                if c in channels:
                    rgba[:, k] = channels[c].reshape(count, a.samples).mean(axis=1)
            b.data = encode(b.fmt, rgba)


def keep_depth(buffer, plane):
    """Gives a buffer its depth, which is all that images and expectations read, also if it has stencil."""
    buffer.depth_plane = buffer.data = plane


def clear(script, pipeline):
    """Clears all attachments of a pipeline."""
    for bind in pipeline.binds:
        buffer = script.buffers[bind['names'][0]] if bind['as'] in ('color', 'depth_stencil') else None
        if bind['as'] == 'color':
            at, w, h, _ = buffer.level(bind['level'])
            texels = encode(buffer.fmt, np.array([pipeline.clear_color], dtype=float)) * (w * h * buffer.samples)
            data = bytes(buffer.data).ljust(at + len(texels), b'\0')
            buffer.data = data[:at] + texels + data[at + len(texels):]
        elif bind['as'] == 'depth_stencil':
            pixels = pipeline.fb[0] * pipeline.fb[1] * buffer.samples
            kind = DEPTH_FORMATS.get(buffer.fmt.vk)
            value = pipeline.clear_depth
            if kind == 'd16':
                texel = np.uint16(round(value * 65535)).tobytes()
            elif kind == 'd24':
                texel = np.uint32(round(value * 0xffffff)).tobytes()
            else:
                texel = np.float32(value).tobytes()
            if kind:
                keep_depth(buffer, texel * pixels)
            buffer.stencil = bytes([pipeline.clear_stencil & 255]) * pixels
