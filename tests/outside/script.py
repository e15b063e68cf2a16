"""A test in one simple form, whichever language it is written in."""

import copy


class Buf:
    def __init__(self, name):
        self.name, self.fmt, self.data = name, None, b''
        self.width = self.height = self.depth = None
        self.levels, self.samples, self.dim = 1, 1, None
        self.sized, self.is_image = True, False
        self.depth_plane = self.stencil = None   # bytes of the aspects of depth-stencil buffers; None: undefined
        self.drawn = None     # the pixels that a sampled draw really drew; None: all
        self.layout = 'std430'

    def level(self, n):
        """(offset, width, height, depth)"""
        at, w, h, d = 0, self.width, self.height or 1, self.depth or 1
        for _ in range(n):
            at += w * h * d * self.fmt.size
            w, h, d = max(1, w // 2), max(1, h // 2), max(1, d // 2)
        return at, w, h, d

    def allocate(self):
        at, w, h, d = self.level(self.levels)
        if len(self.data) < at:
            self.data = bytes(self.data) + b'\0' * (at - len(self.data))


class Pipeline:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.shaders = {}       # stage -> dict(name, entry, spec)
        self.binds, self.vertex_data, self.index = [], [], None
        self.fb, self.viewport = (250, 250), None
        self.depth, self.stencil, self.blend, self.polygon, self.patch = {}, {}, None, 'fill', 3   # stencil: by face
        self.clear_color = (0, 0, 0, 0)
        self.clear_depth, self.clear_stencil = 1.0, 0
        self.subgroup, self.opt, self.other = {}, {}, []
        self.state = {}

    def copy(self, name):
        p = copy.copy(self)
        p.name = name
        p.shaders = {k: dict(v) for k, v in self.shaders.items()}
        p.binds = [dict(b) for b in self.binds]
        p.vertex_data = [dict(v) for v in self.vertex_data]
        p.depth, p.stencil = dict(self.depth), dict(self.stencil)
        p.subgroup, p.opt = dict(self.subgroup), dict(self.opt)
        p.other, p.state = list(self.other), dict(self.state)
        return p


class Script:
    def __init__(self, path):
        self.path = path
        self.shaders, self.buffers, self.samplers, self.pipelines, self.structs = {}, {}, {}, {}, {}
        self.files, self.commands, self.needs = {}, [], []
        self.unsupported = []   # what the parser does not take, of the test


