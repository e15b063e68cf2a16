"""Reads what a drive needs from a SPIR-V module: resources with their layouts, push constants,
local size. Only the parts of the module that the entry point reaches are considered."""

import struct

OP = dict(
    EntryPoint=15, ExecutionMode=16, ExtInstImport=11, Name=5, Decorate=71, MemberDecorate=72,
    TypeVoid=19, TypeBool=20, TypeInt=21, TypeFloat=22, TypeVector=23, TypeMatrix=24,
    TypeImage=25, TypeSampler=26, TypeSampledImage=27, TypeArray=28, TypeRuntimeArray=29,
    TypeStruct=30, TypePointer=32, ConstantTrue=41, ConstantFalse=42, Constant=43,
    ConstantNull=46, SpecConstantTrue=48, SpecConstantFalse=49, SpecConstant=50,
    SpecConstantOp=52, Function=54, FunctionParameter=55, FunctionEnd=56, FunctionCall=57,
    Variable=59, ExecutionModeId=331, Capability=17)
DECORATION = dict(SpecId=1, Block=2, BufferBlock=3, ArrayStride=6, MatrixStride=7, BuiltIn=11,
                  Binding=33, DescriptorSet=34, Offset=35, RowMajor=4)
STORAGE = dict(UniformConstant=0, Input=1, Uniform=2, Workgroup=4, PushConstant=9,
               StorageBuffer=12)
GLCOMPUTE = 5


class Unsupported(Exception):
    """The module needs something that drives do not provide."""


class Instruction:
    """Opcode, operand words, and word index of one instruction."""

    __slots__ = ("op", "words", "at")

    def __init__(self, op, words, at):
        self.op, self.words, self.at = op, words, at


class Resource:
    """One binding: kind is buffer, image, texel_buffer, sampler or combined."""

    def __init__(self, kind, set_, binding, count, type_id, writable, image=None):
        self.kind, self.set, self.binding, self.count = kind, set_, binding, count
        self.type, self.writable, self.image = type_id, writable, image


class Module:
    """A parsed module and the compute entry point `entry` (default: the first)."""

    def __init__(self, data, entry=None, specialise=False):
        if len(data) < 20 or len(data) % 4:
            raise Unsupported("not a SPIR-V module")
        self.words = list(struct.unpack("<%dI" % (len(data) // 4), data))
        if self.words[0] == 0x03022307:
            self.words = list(struct.unpack(">%dI" % (len(data) // 4), data))
        if self.words[0] != 0x07230203:
            raise Unsupported("not a SPIR-V module")
        self.types, self.constants, self.decorations, self.members = {}, {}, {}, {}
        self.variables, self.functions, self.entries, self.modes = [], {}, [], []
        self.spec_ids, self.specialised = {}, {}
        self.capabilities = set()   # by number
        if specialise:
            self.specialised = self._shared_spec_ids()
        self._parse()
        computes = [e for e in self.entries if e[0] == GLCOMPUTE and entry in (None, e[2])]
        if not computes:
            raise Unsupported("no compute entry point")
        self.entry_function, self.entry_name = computes[0][1], computes[0][2]
        self._reach()

    @staticmethod
    def load(path, entry=None, specialise=False):
        with open(path, "rb") as f:
            return Module(f.read(), entry, specialise)

    def instructions(self):
        at = 5
        while at < len(self.words):
            n, op = self.words[at] >> 16, self.words[at] & 0xffff
            if n == 0 or at + n > len(self.words):
                raise Unsupported("truncated module")
            yield Instruction(op, self.words[at + 1:at + n], at)
            at += n

    def _shared_spec_ids(self):
        """SpecId -> value, for constants that share a SpecId but not their default. Such a module
        makes sense only if specialised (a workgroup's size and the constant that names it): with
        the largest default."""
        ids, defaults = {}, {}
        for i in self.instructions():
            w = i.words
            if i.op == OP["Decorate"] and w[1] == DECORATION["SpecId"]:
                ids[w[0]] = w[2]
            elif i.op == OP["SpecConstant"] and len(w) == 3 and w[1] in ids:
                defaults.setdefault(ids[w[1]], set()).add(w[2])
        shared = {k: max(v) for k, v in defaults.items() if len(v) > 1}
        self.spec_ids = {id_: k for id_, k in ids.items() if k in shared}
        return shared

    def _parse(self):
        current = None
        for i in self.instructions():
            w = i.words
            if i.op == OP["Capability"]:
                self.capabilities.add(w[0])
            elif i.op == OP["EntryPoint"]:
                text = struct.pack("<%dI" % len(w[2:]), *w[2:]).split(b"\0")[0].decode()
                self.entries.append((w[0], w[1], text))
            elif i.op in (OP["ExecutionMode"], OP["ExecutionModeId"]):
                self.modes.append((i.op, w))
            elif i.op == OP["Decorate"]:
                self.decorations.setdefault(w[0], {})[w[1]] = w[2] if len(w) > 2 else 0
            elif i.op == OP["MemberDecorate"]:
                self.members.setdefault((w[0], w[1]), {})[w[2]] = w[3] if len(w) > 3 else 0
            elif 19 <= i.op <= 33 or i.op in (5341, 4472):
                self.types[w[0]] = (i.op, w[1:])
            elif i.op in (OP["ConstantTrue"], OP["SpecConstantTrue"]):
                self.constants[w[1]] = 1
            elif i.op in (OP["ConstantFalse"], OP["SpecConstantFalse"], OP["ConstantNull"]):
                self.constants[w[1]] = 0
            elif i.op in (OP["Constant"], OP["SpecConstant"]):
                self.constants[w[1]] = w[2] | (w[3] << 32 if len(w) > 3 else 0)
                if w[1] in self.spec_ids:
                    self.constants[w[1]] = self.specialised[self.spec_ids[w[1]]]
            elif i.op == OP["SpecConstantOp"]:
                self._constant_op(w)
            elif i.op == 51 or i.op == 44:  # composites: the local size built-in
                self.constants[w[1]] = tuple(w[2:])
            elif i.op == OP["Variable"] and current is None:
                self.variables.append((w[1], w[0], w[2]))
            elif i.op == OP["Function"]:
                current = w[1]
                self.functions[current] = []
            elif i.op == OP["FunctionEnd"]:
                current = None
            elif current is not None:
                self.functions[current].append(i)

    def _constant_op(self, w):
        args = [self.constants.get(x) for x in w[3:]]
        if not args or any(not isinstance(a, int) for a in args):
            return
        a, b = args[0], args[1] if len(args) > 1 else 0
        ops = {128: a + b, 130: a - b, 132: a * b, 134: a // b if b else 0,
               137: a % b if b else 0, 194: a >> (b & 31), 196: a << (b & 31), 197: a | b,
               198: a ^ b, 199: a & b, 170: int(a == b), 171: int(a != b), 176: int(a < b),
               172: int(a > b)}
        if w[2] == 169 and len(args) == 3:
            self.constants[w[1]] = args[1] if a else args[2]
        elif w[2] in ops:
            self.constants[w[1]] = ops[w[2]] & 0xffffffff

    def _reach(self):
        todo, seen = [self.entry_function], set()
        self.used = set()
        while todo:
            f = todo.pop()
            if f in seen:
                continue
            seen.add(f)
            for i in self.functions.get(f, []):
                self.used.update(i.words)
                if i.op == OP["FunctionCall"]:
                    todo.append(i.words[2])
        self.reached = seen

    def decoration(self, id_, name):
        return self.decorations.get(id_, {}).get(DECORATION[name])

    def local_size(self):
        for id_, d in self.decorations.items():
            if d.get(DECORATION["BuiltIn"]) == 25 and isinstance(self.constants.get(id_), tuple):
                return [self.constants.get(x, 1) for x in self.constants[id_]]
        for op, w in self.modes:
            if w[0] != self.entry_function:
                continue
            if w[1] == 17:
                return list(w[2:5])
            if w[1] == 38:
                return [self.constants.get(x, 1) for x in w[2:5]]
        return [1, 1, 1]

    # ---- layouts ----

    def size(self, type_id, matrix_stride=0, row_major=False):
        """Bytes of a type in a block; runtime arrays count 0."""
        op, w = self.types[type_id]
        if op == OP["TypeBool"]:
            return 4
        if op in (OP["TypeInt"], OP["TypeFloat"]):
            return w[0] // 8
        if op == OP["TypeVector"]:
            each = self.size(w[0])
            return matrix_stride * (w[1] - 1) + each if row_major and matrix_stride else each * w[1]
        if op == OP["TypeMatrix"]:
            rows = self.types[w[0]][1][1]
            stride = matrix_stride or self.size(w[0])
            return stride * (rows if row_major else w[1])
        if op == OP["TypeArray"]:
            stride = self.decoration(type_id, "ArrayStride") or self.size(w[0])
            length = self.constants.get(w[1])
            if not isinstance(length, int):
                raise Unsupported("array length is not known")
            return stride * length
        if op == OP["TypeRuntimeArray"]:
            return 0
        if op == OP["TypeStruct"]:
            end = 0
            for m, t in enumerate(w):
                d = self.members.get((type_id, m), {})
                end = max(end, d.get(DECORATION["Offset"], end) + self.size(
                    t, d.get(DECORATION["MatrixStride"], 0), DECORATION["RowMajor"] in d))
            return end
        if op == OP["TypePointer"]:
            return 8
        raise Unsupported("type %d in a block" % op)

    def leaves(self, type_id, runtime_bytes, offset=0, matrix_stride=0, row_major=False):
        """Yields (offset, kind, bits, pointee) of every scalar; kind is f, i, u, b or p."""
        op, w = self.types[type_id]
        if op == OP["TypeBool"]:
            yield offset, "b", 32, None
        elif op == OP["TypeInt"]:
            yield offset, "i" if w[1] else "u", w[0], None
        elif op == OP["TypeFloat"]:
            yield offset, "f", w[0], None
        elif op == OP["TypeVector"]:
            step = matrix_stride if row_major and matrix_stride else self.size(w[0])
            for k in range(w[1]):
                yield from self.leaves(w[0], runtime_bytes, offset + k * step)
        elif op == OP["TypeMatrix"]:
            for k in range(w[1]):
                step = self.size(self.types[w[0]][1][0]) if row_major else (
                    matrix_stride or self.size(w[0]))
                yield from self.leaves(w[0], runtime_bytes, offset + k * step,
                                       matrix_stride, row_major)
        elif op in (OP["TypeArray"], OP["TypeRuntimeArray"]):
            stride = self.decoration(type_id, "ArrayStride") or max(self.size(w[0]), 1)
            count = self.constants.get(w[1], 0) if op == OP["TypeArray"] else max(
                runtime_bytes // stride, 1)
            for k in range(count):
                yield from self.leaves(w[0], runtime_bytes, offset + k * stride, matrix_stride,
                                       row_major)
        elif op == OP["TypeStruct"]:
            at = 0
            for m, t in enumerate(w):
                d = self.members.get((type_id, m), {})
                at = d.get(DECORATION["Offset"], at)
                args = (d.get(DECORATION["MatrixStride"], 0), DECORATION["RowMajor"] in d)
                yield from self.leaves(t, runtime_bytes, offset + at, *args)
                at += self.size(t, *args)
        elif op == OP["TypePointer"]:
            yield offset, "p", 64, w[1]
        else:
            raise Unsupported("type %d in a block" % op)

    # ---- interface ----

    def push_type(self):
        for id_, pointer, storage in self.variables:
            if storage == STORAGE["PushConstant"] and id_ in self.used:
                return self.types[pointer][1][1]
        return None

    def resources(self):
        """Returns resources by (set, binding); aliases keep all their types."""
        found = {}
        for id_, pointer, storage in self.variables:
            if storage not in (0, 2, 12) or id_ not in self.used:
                continue
            t, count = self.types[pointer][1][1], 1
            while self.types[t][0] in (OP["TypeArray"], OP["TypeRuntimeArray"]):
                length = (self.constants.get(self.types[t][1][1], 1)
                          if self.types[t][0] == OP["TypeArray"] else 2)
                count *= length if isinstance(length, int) else 1
                t = self.types[t][1][0]
            key = (self.decoration(id_, "DescriptorSet") or 0, self.decoration(id_, "Binding") or 0)
            found.setdefault(key, []).append(self._resource(key, t, count, storage))
        return found

    def _parameters(self):
        """Returns parameter of a function -> the arguments of all calls."""
        given = {}
        for call in (i for f in self.reached for i in self.functions.get(f, [])
                     if i.op == OP["FunctionCall"]):
            parameters = [i.words[1] for i in self.functions.get(call.words[2], [])
                          if i.op == OP["FunctionParameter"]]
            for parameter, argument in zip(parameters, call.words[3:]):
                given.setdefault(parameter, set()).add(argument)
        return given

    def compared(self):
        """Returns (set, binding) of the samplers, combined or not, that comparing samples use, also as
        parameters of functions."""
        compare = (89, 90, 93, 94, 97)   # OpImage...Dref..., OpImageDrefGather
        sampled_image, passing = 86, (61, 65, 66, 83)   # load, chains, copy
        made = {i.words[1]: i for f in self.reached for i in self.functions.get(f, [])
                if i.op in (*compare, sampled_image, *passing)}
        given = self._parameters()
        variables, seen = {id_ for id_, _, _ in self.variables}, set()
        todo = [i.words[2] for i in made.values() if i.op in compare]
        while todo:
            id_ = todo.pop()
            if id_ in seen:
                continue
            seen.add(id_)
            if id_ in made:
                todo.append(made[id_].words[3 if made[id_].op == sampled_image else 2])
            todo += given.get(id_, ())
        return {(self.decoration(v, "DescriptorSet") or 0, self.decoration(v, "Binding") or 0)
                for v in seen & variables}

    def _resource(self, key, t, count, storage):
        op, w = self.types[t]
        if op == OP["TypeStruct"]:
            writable = storage == 12 or DECORATION["BufferBlock"] in self.decorations.get(t, {})
            return Resource("buffer", key[0], key[1], count, t, writable)
        if op == OP["TypeSampler"]:
            return Resource("sampler", key[0], key[1], count, t, False)
        if op == OP["TypeSampledImage"]:
            image = self.types[w[0]][1]
            kind = "texel_buffer" if image[1] == 5 else "combined"
            return Resource(kind, key[0], key[1], count, t, False, image)
        if op == OP["TypeImage"]:
            kind = "texel_buffer" if w[1] == 5 else "image"
            return Resource(kind, key[0], key[1], count, t, w[5] == 2, w)
        raise Unsupported("resource of type %d" % op)
