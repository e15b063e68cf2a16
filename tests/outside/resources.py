"""The resources of a job: what a pipeline binds, and what programs changed in it."""

import os

from formats import TEXEL, Unsupported

ATTACHMENTS = ('color', 'depth_stencil', 'resolve')
ADDRESS = {'repeat': 'repeat', 'mirrored_repeat': 'mirror', 'clamp_to_edge': 'clamp', 'clamp_to_border': 'border',
           'mirrored_clamp_to_edge': 'mirror_clamp', 'mirror_clamp_to_edge': 'mirror_clamp'}


def texel_format(buffer):
    name = TEXEL.get(buffer.fmt.vk)
    if name is None:
        raise Unsupported('texel format ' + str(buffer.fmt.vk or buffer.fmt.name))
    return name


def sampler_keys(s):
    """The keys of a sampler."""
    if not all(s[k] in ADDRESS for k in 'uvw'):
        raise Unsupported('address mode')
    keys = dict(filter=s['mag'], min_filter=s['min'], address=[ADDRESS[s[k]] for k in 'uvw'], mipmap=s['mip'],
                min_lod=s['min_lod'], max_lod=s['max_lod'])
    border = s['border']
    keys['border'] = 'transparent' if 'transparent' in border else 'black' if 'black' in border else 'white'
    if s['unnormalized']:
        keys.update(unnormalized=True, mipmap='nearest')
    if s['on']:
        names = {'less_or_equal': 'less_equal', 'greater_or_equal': 'greater_equal'}
        keys['compare'] = names.get(s['compare'], s['compare'] or 'never')
    return keys


class Resources:
    """Collects the resources of a pipeline. Buffers that several bindings share are one resource's bytes."""

    def __init__(self, script, folder):
        self.script, self.folder = script, folder
        self.list, self.push = [], None
        self.owners = {}   # name of a buffer -> the file that its owner is written to
        self.files = 0

    def file(self, data):
        self.files += 1
        name = 'r%d.bin' % self.files
        with open(os.path.join(self.folder, name), 'wb') as f:
            f.write(data)
        return name

    def add(self, pipeline):
        for bind in pipeline.binds:
            kind = bind['as']
            if kind in ATTACHMENTS:
                continue
            if kind == 'push_constant':
                data = bytes(self.script.buffers[bind['names'][0]].data)
                self.push = data + b'\0' * (-len(data) % 4)   # ranges are of whole dwords
                continue
            if bind['binding'] is None:
                raise Unsupported('a resource without binding')
            for i, name in enumerate(bind['names']):
                self.one(bind, kind, i, name)
        for name in self.owners:
            self.owner(name)
        return self

    def one(self, bind, kind, i, name):
        keys = dict(set=bind['set'], binding=bind['binding'], index=i)
        if kind == 'sampler':
            keys.update(sampler_keys(self.script.samplers[name]))
            self.list.append(keys)
            return
        buffer = self.script.buffers[name]
        if kind in ('uniform', 'storage', 'uniform_dynamic', 'storage_dynamic'):
            self.range(bind, i, buffer, keys)
        elif kind in ('uniform_texel_buffer', 'storage_texel_buffer'):
            keys.update(format=texel_format(buffer), same_as=name)
        elif kind in ('storage_image', 'sampled_image', 'combined_image_sampler', 'input_attachment'):
            self.image(bind, kind, i, buffer, keys)
        else:
            raise Unsupported('bind as ' + str(kind))
        self.owners.setdefault(name, None)
        self.list.append(keys)

    @staticmethod
    def range(bind, i, buffer, keys):
        at = sum(offsets[i] if i < len(offsets) else 0 for offsets in (bind['offset'], bind['doffset']))
        size = max(0, len(buffer.data) - at)
        if i < len(bind['range']) and bind['range'][i] >= 0:
            size = min(size, bind['range'][i])
        keys.update(same_as=buffer.name, offset=min(at, len(buffer.data)), size=size)

    def image(self, bind, kind, i, buffer, keys):
        if buffer.width is None:
            raise Unsupported('an image without size')
        at, w, h, d = buffer.level(bind['level'])
        levels = buffer.levels - bind['level'] if kind != 'storage_image' else 1
        dim = buffer.dim or '2d'
        keys.update(format=texel_format(buffer), width=w, height=h, dim=dim, levels=levels, same_as=buffer.name, offset=at)
        if buffer.samples > 16:
            raise Unsupported('%d samples' % buffer.samples)
        if buffer.samples > 1:
            keys['samples'] = buffer.samples
        if dim == '3d':
            keys['depth'] = d
        if dim == '1d':
            keys.pop('height')
        if kind == 'combined_image_sampler':
            names = bind['samplers']
            keys.update(sampler_keys(self.script.samplers[names[i if i < len(names) else 0]]))

    def owner(self, name):
        """Adds the resource that has the bytes of a buffer: reached by name only."""
        buffer = self.script.buffers[name]
        data = bytes(buffer.data)
        out = 'o%d.bin' % len(self.list)
        self.owners[name] = out
        if buffer.samples > 1:
            data = data.ljust(buffer.width * (buffer.height or 1) * buffer.samples * buffer.fmt.size, b'\0')
        self.list.append({'name': name, 'data': {'file': self.file(data)} if data else {'zero': 0}, 'out': out})

    def take_back(self):
        """Gives buffers what programs left in them."""
        for name, out in self.owners.items():
            path = os.path.join(self.folder, out)
            if not os.path.exists(path):
                continue
            with open(path, 'rb') as f:
                self.script.buffers[name].data = f.read()
