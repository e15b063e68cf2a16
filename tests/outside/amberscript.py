"""Parser of AmberScript (google/amber, docs/amber_script.md)."""

import os
import re

from formats import Fmt, ParseError, Unsupported, image_format, number_type
from script import Buf, Pipeline, Script


class Lines:
    def __init__(self, text):
        self.raw, self.i, self.rest = text.split('\n'), 0, None

    def line(self):
        """Tokens of the next logical line; None at the end."""
        if self.rest is not None:
            r, self.rest = self.rest, None
            return r
        while self.i < len(self.raw):
            s = self.raw[self.i]
            self.i += 1
            s = s.split('#')[0].rstrip()
            while s.endswith('\\') and self.i < len(self.raw):
                s = s[:-1] + ' ' + self.raw[self.i].split('#')[0].rstrip()
                self.i += 1
            t = s.replace(',', ' ').split()
            if t:
                return t
        return None

    def body(self):
        out = []
        while self.i < len(self.raw):
            s = self.raw[self.i]
            self.i += 1
            if s.split('#')[0].strip() == 'END' or re.fullmatch(r'\s*END\s*(#.*)?', s):
                return '\n'.join(out) + '\n'
            out.append(s)
        raise ParseError('no END')

    def until_end(self, first):
        """Tokens until END, beginning with those of a line."""
        out, t = [], list(first)
        while True:
            if 'END' in t:
                k = t.index('END')
                rest = t[k + 1:]
                if rest:
                    raise ParseError('behind END: ' + ' '.join(rest))
                return out + t[:k]
            out += t
            t = self.line()
            if t is None:
                raise ParseError('no END')


def number(tok):
    if re.fullmatch(r'[-+]?0[xX][0-9a-fA-F]+', tok):
        return int(tok, 16)
    try:
        return int(tok)
    except ValueError:
        return float(tok)


class Amber:
    def __init__(self, path, text):
        self.s, self.l, self.folder = Script(path), Lines(text), os.path.dirname(path)

    def parse(self):
        while True:
            t = self.l.line()
            if t is None:
                return self.s
            self.command(t, self.s.commands)

    def command(self, t, out):
        s, k = self.s, t[0]
        if k == 'SHADER':
            return self.shader(t)
        if k == 'BUFFER' or k == 'IMAGE':
            return self.buffer(t)
        if k == 'SAMPLER':
            return self.sampler(t)
        if k == 'STRUCT':
            return self.struct(t)
        if k in ('PIPELINE', 'DERIVE_PIPELINE'):
            return self.pipeline(t)
        if k in ('DEVICE_FEATURE', 'DEVICE_EXTENSION', 'INSTANCE_EXTENSION', 'DEVICE_PROPERTY'):
            s.needs.append(' '.join(t[1:]))
            return
        if k == 'SET':
            return
        if k == 'VIRTUAL_FILE':
            s.files[t[1].strip('"')] = self.l.body()
            return
        if k == 'ACCELERATION_STRUCTURE':
            s.unsupported.append('ray tracing')
            depth = 1
            raise ParseError('ray tracing')
        if k == 'REPEAT':
            inner = []
            while True:
                u = self.l.line()
                if u is None:
                    raise ParseError('REPEAT without END')
                if u[0] == 'END':
                    break
                self.command(u, inner)
            for _ in range(int(t[1])):
                out.extend(inner)
            return
        if k in ('RUN', 'CLEAR', 'CLEAR_COLOR', 'CLEAR_DEPTH', 'CLEAR_STENCIL', 'EXPECT', 'COPY'):
            out.append((k, t[1:], self.l.i))
            return
        raise ParseError('line %d: %s' % (self.l.i, ' '.join(t)[:80]))

    def shader(self, t):
        stage, name, form = t[1], t[2], t[3]
        sh = dict(stage=stage, name=name, form=form, env=None, text=None, file=None)
        rest = t[4:]
        i = 0
        while i < len(rest):
            if rest[i] == 'TARGET_ENV':
                sh['env'] = rest[i + 1].strip('"')
                i += 2
            elif rest[i] == 'VIRTUAL_FILE':
                sh['text'] = self.s.files.get(rest[i + 1].strip('"'))
                i += 2
            elif rest[i] == 'FILE':
                sh['file'] = os.path.join(self.folder, rest[i + 1])
                i += 2
            elif rest[i] == 'BUILD_OPTION' or rest[i] == 'BUILD':
                i += 2
            else:
                raise ParseError('SHADER ' + rest[i])
        if form != 'PASSTHROUGH' and sh['text'] is None and sh['file'] is None:
            sh['text'] = self.l.body()
        elif sh['file']:
            mode = 'rb'
            with open(sh['file'], mode) as f:
                data = f.read()
            sh['text'] = data if form == 'SPIRV-BIN' else data.decode()
            # a file shader has no END
        self.s.shaders[name] = sh

    def type_of(self, name, layout):
        if name in self.s.structs:
            return self.struct_fmt(name, layout)
        return number_type(name, layout) or image_format(name)

    def struct(self, t):
        name, stride = t[1], None
        if len(t) > 3 and t[2] == 'STRIDE':
            stride = int(t[3])
        members = []
        while True:
            u = self.l.line()
            if u[0] == 'END':
                break
            members.append(u)
        self.s.structs[name] = (members, stride)

    def struct_fmt(self, name, layout):
        members, stride = self.s.structs[name]
        segs, at, most = [], 0, 4

        def pad(to):
            nonlocal at
            if to > at:
                segs.append(('p', to - at))
                at = to
        for m in members:
            tname, opts = m[0], m[2:]
            array = re.fullmatch(r'(.+)\[(\d+)\]', tname) or re.fullmatch(r'(\w+)\[(\d+)\]', m[1])
            count = 1
            if array:
                count = int(array.group(2))
                if array.group(0) == tname:
                    tname = array.group(1)
            if any(o in ('MATRIX_STRIDE',) for o in opts):
                raise Unsupported('struct member with ' + ' '.join(opts))
            f = self.type_of(tname, layout)
            if f is None:
                raise ParseError('struct member ' + tname)
            align = getattr(f, 'align', 16 if layout == 'std140' else 4)
            if array and layout == 'std140':
                align = (align + 15) // 16 * 16
            most = max(most, align)
            if 'OFFSET' in opts:
                pad(int(opts[opts.index('OFFSET') + 1]))
            else:
                pad((at + align - 1) // align * align)
            step = None
            if 'ARRAY_STRIDE' in opts:
                step = int(opts[opts.index('ARRAY_STRIDE') + 1])
            elif array:
                step = (f.size + align - 1) // align * align
            for _ in range(count):
                begin = at
                own = list(f.segs)
                size = f.size
                if not array and getattr(f, 'rows', 0) == 3 and getattr(f, 'cols', 0) == 1 and own[-1][0] == 'p':
                    size -= own.pop()[1]
                segs += own
                at += size
                if step:
                    pad(begin + step)
        if stride:
            pad(stride)
        else:
            a = (most + 15) // 16 * 16 if layout == 'std140' else most
            pad((at + a - 1) // a * a)
        f = Fmt(name, segs)
        f.align = (most + 15) // 16 * 16 if layout == 'std140' else most
        return f

    def buffer(self, t):
        b = Buf(t[1])
        i = 2
        tname, count = None, None
        self.s.buffers[b.name] = b
        b.sized = False
        fill = None
        while i < len(t):
            k = t[i]
            if k == 'DATA_TYPE':
                tname = t[i + 1]
                i += 2
            elif k in ('STD140', 'STD430'):
                b.layout = k.lower()
                i += 1
            elif k == 'FORMAT':
                b.fmt = image_format(t[i + 1])
                if b.fmt is None:
                    raise ParseError('format ' + t[i + 1])
                i += 2
                b.is_image = True
            elif k in ('WIDTH', 'HEIGHT', 'DEPTH', 'SIZE', 'MIP_LEVELS', 'SAMPLES'):
                v = int(t[i + 1])
                if k == 'SIZE':
                    count = v
                else:
                    setattr(b, {'MIP_LEVELS': 'levels'}.get(k, k.lower()), v)
                i += 2
            elif k.startswith('DIM_'):
                b.dim = k[4:].lower()
                b.is_image = True
                i += 1
            elif k in ('FILL', 'SERIES_FROM', 'DATA', 'FILE'):
                fill = (k, t[i + 1:])
                break
            else:
                raise ParseError('BUFFER ' + k)
        if tname is not None:
            b.fmt = self.type_of(tname, b.layout)
            if b.fmt is None:
                raise ParseError('type ' + tname)
        if b.width is not None and count is None:
            count = b.width * (b.height or 1) * (b.depth or 1)
            b.is_image = True
            b.sized = True
        if fill is None and b.width is not None and b.dim:
            b.allocate()
            b.sized = True
            return
        if fill is None:
            if count is not None:
                b.data = b'\0' * (count * b.fmt.size)
            return
        k, rest = fill
        b.sized = True
        f = b.fmt
        if k == 'FILL':
            v = number(rest[0])
            b.data = f.pack([v] * f.values) * count
        elif k == 'SERIES_FROM':
            start, inc = number(rest[0]), number(rest[2])
            b.data = f.pack([start + inc * n for n in range(count * f.values)])
        elif k == 'DATA':
            values = [number(x) for x in self.l.until_end(rest)]
            b.data = f.pack(values)
            if count:
                b.data = b.data[:count * f.size].ljust(count * f.size, b'\0')
        else:
            if rest[0] == 'TEXT':
                p = os.path.join(self.folder, rest[1])
                text = '\n'.join(x.split('#')[0] for x in open(p).read().split('\n'))
                b.data = f.pack([number(x) for x in text.split()])
            elif rest[0] == 'BINARY':
                b.data = open(os.path.join(self.folder, rest[1]), 'rb').read()
            elif rest[0] == 'PNG':
                from PIL import Image
                im = Image.open(os.path.join(self.folder, rest[1])).convert('RGBA')
                b.width, b.height, b.is_image = im.width, im.height, True
                a = np.asarray(im)
                if f.vk == 'B8G8R8A8_UNORM':
                    a = a[:, :, [2, 1, 0, 3]]
                b.data = a.tobytes()
            else:
                raise ParseError('FILE ' + rest[0])

    def sampler(self, t):
        s = dict(mag='nearest', min='nearest', mip='nearest', u='repeat', v='repeat', w='repeat', border='float_transparent_black',
                 min_lod=0.0, max_lod=1.0, unnormalized=False, compare=None, on=False)
        i = 2
        while i < len(t):
            k = t[i]
            if k == 'UNNORMALIZED_COORDS':
                s['unnormalized'] = True
                i += 1
                continue
            if k == 'NORMALIZED_COORDS':
                i += 1
                continue
            v = t[i + 1]
            i += 2
            key = {'MAG_FILTER': 'mag', 'MIN_FILTER': 'min', 'MIPMAP_MODE': 'mip', 'ADDRESS_MODE_U': 'u', 'ADDRESS_MODE_V': 'v', 'ADDRESS_MODE_W': 'w',
                   'BORDER_COLOR': 'border', 'MIN_LOD': 'min_lod', 'MAX_LOD': 'max_lod', 'COMPARE': 'on', 'COMPARE_OP': 'compare'}.get(k)
            if key is None:
                raise ParseError('SAMPLER ' + k)
            s[key] = float(v) if key.endswith('lod') else (v == 'on') if key == 'on' else v
        if s['unnormalized']:
            s['min_lod'] = s['max_lod'] = 0.0
        self.s.samplers[t[1]] = s

    def pipeline(self, t):
        s = self.s
        if t[0] == 'PIPELINE':
            p = Pipeline(t[1], t[2])
        else:
            p = s.pipelines[t[3]].copy(t[1])
        s.pipelines[p.name] = p
        sized_here = False
        if p.kind == 'ray_tracing':
            raise ParseError('ray tracing')
        while True:
            u = self.l.line()
            if u is None:
                raise ParseError('PIPELINE without END')
            k = u[0]
            if k == 'END':
                break
            if k == 'ATTACH':
                self.attach(p, u)
            elif k == 'BIND':
                self.bind(p, u)
            elif k == 'VERTEX_DATA':
                v = dict(buffer=u[1], location=0, rate='vertex', format=None, offset=0, stride=None)
                i = 2
                while i < len(u):
                    key = u[i].lower()
                    val = u[i + 1]
                    v[key] = int(val) if key in ('location', 'offset', 'stride') else val
                    i += 2
                p.vertex_data.append(v)
            elif k == 'INDEX_DATA':
                p.index = u[1]
            elif k == 'FRAMEBUFFER_SIZE':
                p.fb = (int(u[1]), int(u[2]))
                sized_here = True
            elif k == 'VIEWPORT':
                p.viewport = u[1:]
            elif k == 'POLYGON_MODE':
                p.polygon = u[1]
            elif k == 'PATCH_CONTROL_POINTS':
                p.patch = int(u[1])
            elif k in ('DEPTH', 'STENCIL', 'BLEND', 'SUBGROUP', 'SHADER_OPTIMIZATION', 'COMPILE_OPTIONS'):
                block = {}
                while True:
                    w = self.l.line()
                    if w[0] == 'END':
                        break
                    block[w[0]] = w[1:]
                if k == 'DEPTH':
                    p.depth = block
                elif k == 'STENCIL':
                    for face in ('FRONT', 'BACK'):
                        if len(u) < 2 or u[1] in (face, 'FRONT_AND_BACK'):
                            p.stencil[face] = block
                elif k == 'BLEND':
                    p.blend = block
                elif k == 'SUBGROUP':
                    p.subgroup[u[1]] = block
                elif k == 'SHADER_OPTIMIZATION':
                    p.opt[u[1]] = list(block)
                else:
                    p.other.append(k)
            elif k == 'SET':
                p.other.append('SET KERNEL')
            elif k == 'FRAMEBUFFER_SIZE':
                pass
            else:
                p.other.append(k)
        for b in p.binds:
            if b['as'] == 'color' and s.buffers[b['names'][0]].sized and s.buffers[b['names'][0]].width and not sized_here:
                buf = s.buffers[b['names'][0]]
                p.fb = buf.level(b['level'])[1:3]
        for b in p.binds:
            if b['as'] not in ('color', 'depth_stencil', 'resolve'):
                continue
            buf = s.buffers[b['names'][0]]
            if buf.sized and buf.width is None and buf.fmt.comps:
                buf.width, buf.height = p.fb
                buf.is_image = True
            if not buf.sized and buf.width is None:
                lvl = b.get('level', 0)
                buf.width, buf.height = p.fb[0] << lvl, p.fb[1] << lvl
                buf.is_image = True
                buf.allocate()

    def attach(self, p, u):
        sh = self.s.shaders[u[1]]
        stage, entry, spec = sh['stage'], 'main', {}
        i = 2
        while i < len(u):
            if u[i] == 'TYPE':
                stage = u[i + 1]
                i += 2
            elif u[i] == 'ENTRY_POINT':
                entry = u[i + 1]
                i += 2
            elif u[i] == 'SPECIALIZE':
                spec[int(u[i + 1])] = (u[i + 3], number(u[i + 4]))
                i += 5
            else:
                raise ParseError('ATTACH ' + u[i])
        p.shaders[stage] = dict(name=u[1], entry=entry, spec=spec)

    def bind(self, p, u):
        what = u[1]
        i, names = 2, []
        words = {'AS', 'DESCRIPTOR_SET', 'KERNEL'}
        while i < len(u) and u[i] not in words:
            names.append(u[i])
            i += 1
        b = dict(names=names, what=what, set=0, binding=None, level=0, location=0, samplers=[], offset=[], doffset=[], range=[])
        b['as'] = 'sampler' if what.startswith('SAMPLER') else None
        while i < len(u):
            k = u[i]
            if k == 'AS':
                b['as'] = u[i + 1]
                i += 2
            elif k == 'KERNEL':
                raise Unsupported('OpenCL')
            elif k == 'SAMPLER':
                i += 1
                while i < len(u) and u[i] not in ('DESCRIPTOR_SET', 'BINDING'):
                    b['samplers'].append(u[i])
                    i += 1
            elif k in ('DESCRIPTOR_SET', 'BINDING', 'LOCATION', 'BASE_MIP_LEVEL'):
                b[{'DESCRIPTOR_SET': 'set', 'BINDING': 'binding', 'LOCATION': 'location', 'BASE_MIP_LEVEL': 'level'}[k]] = int(u[i + 1])
                i += 2
            elif k in ('OFFSET', 'DESCRIPTOR_OFFSET', 'DESCRIPTOR_RANGE'):
                key = {'OFFSET': 'offset', 'DESCRIPTOR_OFFSET': 'doffset', 'DESCRIPTOR_RANGE': 'range'}[k]
                i += 1
                while i < len(u) and re.fullmatch(r'-?\d+', u[i]):
                    b[key].append(int(u[i]))
                    i += 1
            else:
                raise ParseError('BIND ' + k)
        for n in names:
            if n not in self.s.buffers and b['as'] != 'sampler':
                self.s.buffers[n] = x = Buf(n)   # defined later: an old habit of scripts
                x.sized = False
        # A later bind at the same place replaces.
        if b['as'] not in ('color', 'depth_stencil', 'resolve', 'push_constant'):
            p.binds = [x for x in p.binds if not (x['binding'] == b['binding'] and x['set'] == b['set'] and x['as'] not in ('color', 'depth_stencil', 'resolve', 'push_constant')
                                                  and x['binding'] is not None)]
        p.binds.append(b)


