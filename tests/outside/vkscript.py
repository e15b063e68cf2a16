"""Parser of VkScript, the older language of tests (google/amber, docs/vk_script.md)."""

import os
import re

from formats import ParseError, image_format, number_type
from amberscript import number
from script import Buf, Pipeline, Script

VKTYPES = {'int': 'int32', 'uint': 'uint32', 'float': 'float', 'double': 'double', 'int8_t': 'int8', 'uint8_t': 'uint8',
           'int16_t': 'int16', 'uint16_t': 'uint16', 'int64_t': 'int64', 'uint64_t': 'uint64', 'float16_t': 'float16'}


def vk_type(n):
    if n in VKTYPES:
        return VKTYPES[n]
    m = re.fullmatch(r'(d|i|u|i8|u8|i16|u16|i64|u64|f16)?vec([234])?', n)
    if m:
        e = {None: 'float', 'd': 'double', 'i': 'int32', 'u': 'uint32', 'i8': 'int8', 'u8': 'uint8', 'i16': 'int16', 'u16': 'uint16',
             'i64': 'int64', 'u64': 'uint64', 'f16': 'float16'}[m.group(1)]
        return 'vec%s<%s>' % (m.group(2) or '4', e)
    m = re.fullmatch(r'(d|f16)?mat([234])(?:x([234]))?', n)
    if m:
        return 'mat%sx%s<%s>' % (m.group(2), m.group(3) or m.group(2), {None: 'float', 'd': 'double', 'f16': 'float16'}[m.group(1)])
    raise ParseError('type ' + n)


class Vk:
    def __init__(self, path, text):
        self.s, self.text, self.folder = Script(path), text, os.path.dirname(path)

    def parse(self):
        s = self.s
        sections, name, lines = [], None, []
        for line in self.text.split('\n'):
            m = re.fullmatch(r'\s*\[([a-z ]+)\]\s*(#.*)?', line)
            if m:
                sections.append((name, lines))
                name, lines = m.group(1).strip(), []
            else:
                lines.append(line)
        sections.append((name, lines))
        g, c = Pipeline('graphics', 'g'), Pipeline('compute', 'c')
        s.pipelines = {'g': g, 'c': c}
        fbf, dsf = 'B8G8R8A8_UNORM', None
        vdata, indices, test = [], [], []
        for name, lines in sections:
            if name is None:
                continue
            text = '\n'.join(lines) + '\n'
            clean = [x.split('#')[0].strip() for x in lines]
            clean = [x for x in clean if x]
            if ' shader' in name:
                m = re.fullmatch(r'(.*) shader ?(.*)', name)
                stage = m.group(1).replace(' ', '_').replace('evaulation', 'evaluation')
                form = {'': 'GLSL', 'spirv': 'SPIRV-ASM', 'spirv hex': 'SPIRV-HEX', 'passthrough': 'PASSTHROUGH'}[m.group(2)]
                s.shaders[stage] = dict(stage=stage, name=stage, form=form, env=None, text=text, file=None)
                (c if stage == 'compute' else g).shaders[stage] = dict(name=stage, entry='main', spec={})
            elif name == 'require':
                for x in clean:
                    w = x.split()
                    if w[0] == 'framebuffer':
                        fbf = w[1]
                    elif w[0] == 'depthstencil':
                        dsf = w[1]
                    elif w[0] == 'fbsize':
                        g.fb = (int(w[1]), int(w[2]))
                    else:
                        s.needs.append(x)
            elif name == 'vertex data':
                vdata = clean
            elif name == 'indices':
                indices = [int(x) for x in ' '.join(clean).split()]
            elif name == 'test':
                test = clean
        if 'vertex' not in s.shaders and 'fragment' in s.shaders:
            s.shaders['vertex'] = dict(stage='vertex', name='vertex', form='PASSTHROUGH', env=None, text='', file=None)
            g.shaders['vertex'] = dict(name='vertex', entry='main', spec={})
        fb = Buf('framebuffer')
        fb.fmt, fb.is_image = image_format(fbf), True
        fb.width, fb.height = g.fb
        fb.allocate()
        s.buffers['framebuffer'] = fb
        g.binds.append(dict(names=['framebuffer'], what='BUFFER', set=0, binding=None, level=0, location=0, samplers=[], offset=[], doffset=[], range=[], **{'as': 'color'}))
        if dsf:
            self.attachment(g, 'depthstencil', dsf, 'depth_stencil')
        if indices:
            b = Buf('indices')
            b.fmt = number_type('uint32')
            b.data = b.fmt.pack(indices)
            s.buffers['indices'] = b
            g.index = 'indices'
        if vdata:
            self.vertex_data(vdata, g)
        self.tol = []
        self.auto = {}
        joined = []
        for x in test:
            if joined and joined[-1].endswith('\\'):
                joined[-1] = joined[-1][:-1] + ' ' + x
            else:
                joined.append(x)
        for n, x in enumerate(joined):
            self.command(x, n, g, c)
        return s

    def attachment(self, g, name, fmt, as_):
        b = Buf(name)
        b.fmt, b.is_image = image_format(fmt), True
        b.width, b.height = g.fb
        self.s.buffers[name] = b
        g.binds.append(dict(names=[name], what='BUFFER', set=0, binding=None, level=0, location=0, samplers=[], offset=[],
                            doffset=[], range=[], **{'as': as_}))

    def state(self, w, g):
        """A line of pipeline state: its name and values."""
        name, value = w[0], ' '.join(w[1:]).lower()
        flag = {'true': 'on', 'false': 'off'}.get(value, value)
        short = re.sub(r'^vk_[a-z]+_?op_|^vk_blend_factor_|^vk_(compare|stencil|logic|blend)_op_', '', value)
        depth = {'depthTestEnable': 'TEST', 'depthWriteEnable': 'WRITE', 'depthClampEnable': 'CLAMP'}
        blend = {'srcColorBlendFactor': 'SRC_COLOR_FACTOR', 'dstColorBlendFactor': 'DST_COLOR_FACTOR', 'colorBlendOp': 'COLOR_OP',
                 'srcAlphaBlendFactor': 'SRC_ALPHA_FACTOR', 'dstAlphaBlendFactor': 'DST_ALPHA_FACTOR', 'alphaBlendOp': 'ALPHA_OP'}
        faces = {'failOp': 'FAIL_OP', 'passOp': 'PASS_OP', 'depthFailOp': 'DEPTH_FAIL_OP', 'compareOp': 'COMPARE_OP',
                 'compareMask': 'COMPARE_MASK', 'writeMask': 'WRITE_MASK', 'reference': 'REFERENCE'}
        draw, kept = g.state.setdefault('draw', {}), g.state.setdefault('kept', {})
        if name in depth:
            g.depth[depth[name]] = [flag]
        elif name == 'depthCompareOp':
            g.depth['COMPARE_OP'] = [short]
        elif name in ('depthBiasConstantFactor', 'depthBiasClamp', 'depthBiasSlopeFactor', 'minDepthBounds', 'maxDepthBounds',
                      'depthBiasEnable', 'depthBoundsTestEnable'):
            kept[name] = flag
        elif name in blend:
            kept.setdefault('blend', {})[blend[name]] = [short]
        elif name in ('blendEnable', 'stencilTestEnable', 'logicOpEnable', 'logicOp'):
            kept[name] = short if name == 'logicOp' else flag
        elif name.split('.')[0] in ('front', 'back') and name.split('.')[1] in faces:
            g.stencil.setdefault(name.split('.')[0].upper(), {})[faces[name.split('.')[1]]] = [short]
        elif name == 'colorWriteMask':
            g.state['target'] = {'write_mask': ''.join(c for c in 'rgba' if '_%s_bit' % c in value)}
        elif name == 'polygonMode':
            g.polygon = value.rsplit('_', 1)[-1]
        elif name == 'cullMode':
            bits = [c for c in ('front', 'back') if c in value]
            draw['cull'] = 'both' if 'front_and_back' in value or len(bits) == 2 else bits[0] if bits else 'none'
        elif name == 'frontFace':
            draw['front_face'] = 'counterclockwise' if 'counter' in value else 'clockwise'
        elif name == 'lineWidth':
            draw['line_width'] = float(value)
        elif name == 'rasterizerDiscardEnable':
            g.state['discard'] = flag == 'on'
        else:
            raise ParseError('state ' + name)
        self.apply(g, draw, kept)

    @staticmethod
    def apply(g, draw, kept):
        """State that several lines make."""
        if kept.get('depthBiasEnable') == 'on':
            names = (('constant', 'depthBiasConstantFactor'), ('clamp', 'depthBiasClamp'), ('slope', 'depthBiasSlopeFactor'))
            g.depth['BIAS'] = [x for word, key in names for x in (word, kept.get(key, '0'))]
        if kept.get('depthBoundsTestEnable') == 'on':
            g.depth['BOUNDS'] = ['on', 'min', kept.get('minDepthBounds', '0'), 'max', kept.get('maxDepthBounds', '1')]
        g.blend = kept.get('blend', {}) if kept.get('blendEnable') == 'on' else None
        for face in ('FRONT', 'BACK'):
            g.stencil.setdefault(face, {})['TEST'] = [kept.get('stencilTestEnable', 'off')]
        if kept.get('logicOpEnable') == 'on':
            draw['logic_op'] = kept.get('logicOp', 'copy')

    def vertex_data(self, rows, g):
        cols = []
        for h in rows[0].split():
            p = h.split('/')
            if len(p) == 2:
                f = image_format(p[1])
            else:
                base = {'byte': 'int8', 'ubyte': 'uint8', 'short': 'int16', 'ushort': 'uint16', 'int': 'int32', 'uint': 'uint32',
                        'half': 'float16', 'float': 'float', 'double': 'double'}[p[1]]
                m = re.fullmatch(r'[diu]?vec([234])', p[2])
                f = number_type('vec%s<%s>' % (m.group(1), base) if m else base)
                f.segs = [x for x in f.segs if x[0] == 'v']
                f.size = sum(x[2] // 8 for x in f.segs)
            if f is None:
                raise ParseError('vertex format ' + h)
            cols.append((int(p[0]), f, []))
        for r in rows[1:]:
            v = [number(x) for x in r.split()]
            for _, f, out in cols:
                out.extend(v[:f.values])
                v = v[f.values:]
        for loc, f, out in cols:
            b = Buf('vdata%d' % loc)
            b.fmt, b.data = f, f.pack(out)
            self.s.buffers[b.name] = b
            g.vertex_data.append(dict(buffer=b.name, location=loc, rate='vertex', format=None, offset=0, stride=None))

    def buffer_at(self, g, c, text, as_):
        m = re.fullmatch(r'(?:(\d+):)?(\d+)', text)
        st, bi = int(m.group(1) or 0), int(m.group(2))
        key = (st, bi)
        if key not in self.auto:
            b = Buf('auto%d_%d' % key)
            b.fmt = number_type('int8')
            self.s.buffers[b.name] = self.auto[key] = b
            for p in (g, c):
                p.binds.append(dict(names=[b.name], what='BUFFER', set=st, binding=bi, level=0, location=0, samplers=[], offset=[], doffset=[], range=[], **{'as': as_}))
        return self.auto[key]

    def command(self, x, n, g, c):
        s, w = self.s, x.replace('(', ' ').replace(')', ' ').replace(',', ' ').split()
        if w[0] == 'ubo' and len(w) > 2 and w[2] == 'subdata':      # VkRunner's newer words
            w = ['uniform', 'ubo', w[1]] + w[3:]
            self.runner_words = True
        elif w[0] == 'push':
            w = ['uniform'] + w[1:]
        out = s.commands
        # "0 : 1" forms are joined
        if w[0] == 'clear':
            if len(w) == 1:
                out.append(('CLEAR', ['g'], n))
            elif w[1] == 'color':
                out.append(('CLEAR_COLOR_F', ['g'] + w[2:], n))
            else:
                out.append(('CLEAR_' + w[1].upper(), ['g'] + w[2:], n))
        elif w[0] == 'draw' and w[1] == 'rect':
            r = w[2:]
            ortho = patch = False
            while r and not re.match(r'[-\d.]', r[0]):
                ortho |= r[0] == 'ortho'
                patch |= r[0] == 'patch'
                r = r[1:]
            out.append(('DRAW_RECT', ['g', ortho, patch] + [float(v) for v in r], n))
        elif w[0] == 'draw' and w[1] == 'arrays':
            r = w[2:]
            indexed = instanced = False
            while r[0] in ('indexed', 'instanced'):
                indexed |= r[0] == 'indexed'
                instanced |= r[0] == 'instanced'
                r = r[1:]
            topo = {'GL_TRIANGLES': 'TRIANGLE_LIST', 'GL_TRIANGLE_STRIP': 'TRIANGLE_STRIP', 'GL_TRIANGLE_FAN': 'TRIANGLE_FAN',
                    'GL_POINTS': 'POINT_LIST', 'GL_LINES': 'LINE_LIST', 'GL_LINE_STRIP': 'LINE_STRIP',
                    'GL_LINES_ADJACENCY': 'LINE_LIST_WITH_ADJACENCY', 'GL_LINE_STRIP_ADJACENCY': 'LINE_STRIP_WITH_ADJACENCY',
                    'GL_TRIANGLES_ADJACENCY': 'TRIANGLE_LIST_WITH_ADJACENCY',
                    'GL_TRIANGLE_STRIP_ADJACENCY': 'TRIANGLE_STRIP_WITH_ADJACENCY'}.get(r[0], r[0])
            args = ['g', 'DRAW_ARRAY', 'AS', topo] + (['INDEXED'] if indexed else []) + ['START_IDX', r[1], 'COUNT', r[2]]
            if len(r) > 3:
                args += ['INSTANCE_COUNT', r[3]]
            out.append(('RUN', args, n))
        elif w[0] == 'compute' and w[1] != 'entrypoint':
            out.append(('RUN', ['c'] + w[1:], n))
        elif len(w) > 1 and w[-2] == 'entrypoint':
            out.append(('ENTRY', ['_'.join(w[:-2]), w[-1]], n))
        elif w[0] == 'tolerance':
            self.tol = w[1:]
        elif w[0] == 'probe' and w[1] == 'ssbo':
            b = self.buffer_at(g, c, w[3], 'storage')
            ty = number_type(vk_type(w[2]), 'std430')
            op = {'==': 'EQ', '!=': 'NE', '<': 'LT', '>': 'GT', '<=': 'LE', '>=': 'GE', '~=': 'FUZZY'}[w[5]]
            out.append(('PROBE', [b.name, int(w[4]), ty, op, [number(v) for v in w[6:]], list(self.tol)], n))
        elif w[0] in ('probe', 'relative'):
            rel = w[0] == 'relative'
            r = w[2:] if rel else w[1:]
            if r[0] == 'all':
                rect, cs, mode = None, r[2:], r[1]
            else:
                k = 4 if r[0] == 'rect' else 2
                if r[0] == 'rect':
                    r = r[1:]
                mode = r[0]
                rect = [float(v) for v in r[1:1 + k]] + ([] if k == 4 else [1.0, 1.0])
                cs = r[1 + k:]
                if rel:
                    W, H = g.fb
                    rect = [rect[0] * W, rect[1] * H] + ([rect[2] * W, rect[3] * H] if k == 4 else [1.0, 1.0])
            out.append(('PROBE_RECT', ['framebuffer', rect, mode, [float(v) for v in cs], list(self.tol)], n))
        elif w[0] == 'uniform' and w[1] == 'ubo' or w[0] == 'ssbo':
            ubo = w[0] == 'uniform'
            r = w[2:] if ubo else w[1:]
            b = self.buffer_at(g, c, r[0], 'uniform' if ubo else 'storage')
            if not ubo and r[1] != 'subdata':
                out.append(('SIZE', [b.name, int(r[1])], n))
                return
            r = r[1:] if ubo else r[2:]
            ty = number_type(vk_type(r[0]), 'std140' if ubo else 'std430')
            if ubo and getattr(self, 'runner_words', False) and len(r) - 2 > ty.values:
                ty = number_type(vk_type(r[0]) + '[]', 'std140')
            out.append(('WRITE', [b.name, int(r[1]), ty, [number(v) for v in r[2:]]], n))
        elif w[0] == 'uniform':
            if 'push' not in s.buffers:
                b = Buf('push')
                b.fmt = number_type('int8')
                s.buffers['push'] = b
                for p in (g, c):
                    p.binds.append(dict(names=['push'], what='BUFFER', set=0, binding=None, level=0, location=0, samplers=[], offset=[], doffset=[], range=[], **{'as': 'push_constant'}))
            ty = number_type(vk_type(w[1]), 'std430')
            out.append(('WRITE', ['push', int(w[2]), ty, [number(v) for v in w[3:]]], n))
        elif w[0] == 'patch':
            g.patch = int(w[-1])
        else:
            out.append(('STATE', [self, w], n))



