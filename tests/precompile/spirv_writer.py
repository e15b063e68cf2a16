"""Makes small SPIR-V modules, a different one for each seed: for captures of any size without files
of others."""

import random
import struct


class Module:
    """Words of a module; ids are made by `new`."""

    def __init__(self):
        self.bound = 1
        self.words = []

    def new(self):
        self.bound += 1
        return self.bound - 1

    def op(self, opcode, *operands):
        words = []
        for operand in operands:
            if isinstance(operand, str):
                text = operand.encode() + b"\0"
                text += b"\0" * (-len(text) % 4)
                words += struct.unpack("<%dI" % (len(text) // 4), text)
            else:
                words.append(operand)
        self.words.append((len(words) + 1) << 16 | opcode)
        self.words += words

    def typed(self, opcode, result_type, *operands):
        result = self.new()
        self.op(opcode, result_type, result, *operands)
        return result

    def bytes(self):
        head = [0x07230203, 0x00010000, 0, self.bound, 0]
        return struct.pack("<%dI" % (len(head) + len(self.words)), *head, *self.words)


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def _begin(module, model, interface, mode):
    main = module.new()
    module.op(17, 1)  # OpCapability Shader
    module.op(14, 0, 1)  # OpMemoryModel Logical GLSL450
    module.op(15, model, main, "main", *interface)  # OpEntryPoint
    if mode:
        module.op(16, main, *mode)  # OpExecutionMode
    return main


def compute(seed, steps=4, spec_id=None):
    """A kernel that mixes each number of a buffer with seeded constants."""
    rng = random.Random(seed)
    m = Module()
    gid = m.new()
    main = _begin(m, 5, [gid], [17, 64, 1, 1])
    void, fn, uint, vec3, pointer3 = (m.new() for _ in range(5))
    array, block, pointer_block, buffer, pointer_uint, pointer_in = (m.new() for _ in range(6))
    m.op(71, gid, 11, 28)  # BuiltIn GlobalInvocationId
    m.op(71, array, 6, 4)  # ArrayStride
    m.op(72, block, 0, 35, 0)  # Offset
    m.op(71, block, 3)  # BufferBlock
    m.op(71, buffer, 34, 0)
    m.op(71, buffer, 33, 0)
    spec = m.new() if spec_id is not None else None
    if spec is not None:
        m.op(71, spec, 1, spec_id)  # SpecId
    m.op(19, void)
    m.op(33, fn, void)
    m.op(21, uint, 32, 0)
    m.op(23, vec3, uint, 3)
    m.op(32, pointer3, 1, vec3)
    m.op(29, array, uint)
    m.op(30, block, array)
    m.op(32, pointer_block, 2, block)
    m.op(32, pointer_uint, 2, uint)
    m.op(32, pointer_in, 1, uint)
    m.op(59, pointer3, gid, 1)
    m.op(59, pointer_block, buffer, 2)
    zero = m.typed(43, uint, 0)
    constants = [m.typed(43, uint, rng.getrandbits(32) | 1) for _ in range(2 * steps)]
    if spec is not None:
        m.op(50, uint, spec, 7)  # OpSpecConstant
    m.op(54, void, main, 0, fn)  # OpFunction
    m.op(248, m.new())  # OpLabel
    at = m.typed(61, uint, m.typed(65, pointer_in, gid, zero))
    place = m.typed(65, pointer_uint, buffer, zero, at)
    value = m.typed(61, uint, place)
    for i in range(steps):
        value = m.typed(132, uint, value, constants[2 * i])  # OpIMul
        value = m.typed(rng.choice([128, 198]), uint, value, constants[2 * i + 1])
    if spec is not None:
        value = m.typed(128, uint, value, spec)
    m.op(62, place, value)
    m.op(253)
    m.op(56)
    return m.bytes()


def _graphics(model, inputs, outputs, position, seed, mode, steps):
    rng = random.Random(seed)
    m = Module()
    ins = [m.new() for _ in range(inputs)]
    outs = [m.new() for _ in range(outputs)]
    place = m.new() if position else None
    interface = ins + outs + ([place] if position else [])
    main = _begin(m, model, interface, mode)
    for i, variable in enumerate(ins):
        m.op(71, variable, 30, i)  # Location
    for i, variable in enumerate(outs):
        m.op(71, variable, 30, i)
    if position:
        m.op(71, place, 11, 0)  # BuiltIn Position
    void, fn, real, vec4, pointer_in, pointer_out = (m.new() for _ in range(6))
    m.op(19, void)
    m.op(33, fn, void)
    m.op(22, real, 32)
    m.op(23, vec4, real, 4)
    m.op(32, pointer_in, 1, vec4)
    m.op(32, pointer_out, 3, vec4)
    for variable in ins:
        m.op(59, pointer_in, variable, 1)
    for variable in outs + ([place] if position else []):
        m.op(59, pointer_out, variable, 3)
    scales = [m.typed(43, real, float_bits(rng.uniform(0.5, 2))) for _ in range(steps)]
    m.op(54, void, main, 0, fn)
    m.op(248, m.new())
    loaded = [m.typed(61, vec4, variable) for variable in ins]
    value = loaded[0]
    for other in loaded[1:]:
        value = m.typed(129, vec4, value, other)
    if position:
        m.op(62, place, value)
    for variable in outs:
        for scale in scales:
            value = m.typed(129, vec4, m.typed(142, vec4, value, scale), loaded[0])
        m.op(62, variable, value)
    m.op(253)
    m.op(56)
    return m.bytes()


def vertex(seed, outputs=2, steps=2):
    """Writes the position and `outputs` vectors."""
    return _graphics(0, 1, outputs, True, seed, None, steps)


def fragment(seed, inputs=1, steps=2):
    """Reads `inputs` vectors, writes one."""
    return _graphics(4, inputs, 1, False, seed, [7], steps)  # OriginUpperLeft
