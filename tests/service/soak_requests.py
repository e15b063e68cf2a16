"""The soak's requests: permutations of real shaders by number, and invalid ones.

Permutation p of a seed is always the same request, so that every client that sends p must get the
same bytes. Shaders are tests/shaders/*.comp, as GLSL and (where glslangValidator is installed) as
SPIR-V.
"""

import hashlib
import os
import random
import re
import shutil
import struct
import subprocess

# More than any shader here has: the result is that without a limit, the key is another.
FIRST_BISECT_LIMIT = 1000000
CONSTANT = re.compile(r"constant_id\s*=\s*(\d+)\)\s*const\s+u?int\b")


MODULES = 24  # shaders that are sent as SPIR-V too; translating them takes time


class Shader:
    def __init__(self, path):
        self.name = os.path.basename(path)
        with open(path) as f:
            self.text = f.read()
        self.constants = [int(n) for n in CONSTANT.findall(self.text)]
        self.path = path
        self.spirv = None

    def translate(self, work):
        out = os.path.join(work, self.name + ".spv")
        if shutil.which("glslangValidator") and subprocess.run(
                ["glslangValidator", "-V", "--target-env", "vulkan1.3", "-o", out, self.path],
                stdout=subprocess.DEVNULL).returncode == 0:
            with open(out, "rb") as f:
                self.spirv = f.read()


class Requests:
    """`pb` is the generated module of proto/kiln/v1/compile.proto."""

    def __init__(self, pb, folder, work, seed):
        self.pb = pb
        self.seed = seed
        names = sorted(n for n in os.listdir(folder) if n.endswith(".comp"))
        self.shaders = [Shader(os.path.join(folder, n)) for n in names]
        for shader in random.Random("%d modules" % seed).sample(self.shaders, MODULES):
            shader.translate(work)
        self.modules = [s.spirv for s in self.shaders if s.spirv]

    def permutation(self, p):
        """Returns its CompileRequest, the flags of `kiln compile` for the same, and its Shader."""
        rng = random.Random("%d permutation %d" % (self.seed, p))
        shader = rng.choice(self.shaders)
        request = self.pb.CompileRequest(targets=["tgl"], outputs=self.pb.OutputMask(
            binary=True, launch_record=True, assembly=rng.random() < 0.3))
        flags = []
        if shader.spirv and rng.random() < 0.8:
            request.spirv = shader.spirv
        else:
            request.glsl.text, request.glsl.name = shader.text, shader.name
            request.glsl.stage = "compute"
            if rng.random() < 0.3:
                value = str(rng.randrange(1000))
                request.glsl.defines.add(name="SOAK", value=value)
                flags.append("-DSOAK=" + value)
        for number in shader.constants:
            if rng.random() < 0.7:
                value = rng.randrange(1, 9)
                request.spec_constants.add(id=number, uint_value=value)
                flags.append("--spec=%d=uint:%d" % (number, value))
        widths = rng.choice([[], [], [], [8], [16], [8, 16]])
        if widths:
            request.options.widths.extend(widths)
            flags.append("--widths=" + ",".join(map(str, widths)))
        if rng.random() < 0.8:
            request.options.bisect_limit = FIRST_BISECT_LIMIT + p
        return request, flags, shader

    def by_digest(self, request):
        """Returns the same request with a digest for its source; None if that is GLSL."""
        if request.WhichOneof("source") != "spirv":
            return None
        short = self.pb.CompileRequest()
        short.CopyFrom(request)
        short.digest.kind = self.pb.SourceDigest.SPIRV
        short.digest.sha256 = hashlib.sha256(request.spirv).digest()
        return short

    def invalid(self, rng):
        """Returns the bytes of a request that must be answered INVALID_ARGUMENT."""
        pb = self.pb
        whole, _, _ = self.permutation(rng.randrange(100))
        kind = rng.randrange(8)
        if kind == 0:
            del whole.targets[:]
        elif kind == 1:
            whole.targets[:] = ["mars"]
        elif kind == 2:
            whole.targets.append("tgl")
        elif kind == 3:
            whole.entry_point = "x" * 5000
        elif kind == 4:
            whole.ClearField(whole.WhichOneof("source"))
        elif kind == 5:
            whole.digest.kind, whole.digest.sha256 = pb.SourceDigest.SPIRV, b"short"
        elif kind == 6:  # entry_point that is not UTF-8
            return whole.SerializeToString() + b"\x22\x04ab\xff\xfe"
        else:
            return b"\xff" * rng.randrange(1, 300)
        return whole.SerializeToString()

    def too_long(self, size):
        header = struct.pack("<5I", 0x07230203, 0x10300, 0, 9, 0)
        return self.pb.CompileRequest(targets=["tgl"], spirv=header + bytes(size - len(header)))

    def broken(self, rng):
        """Returns a module with words overwritten, or cut."""
        module = bytearray(rng.choice(self.modules or [bytes(400)]))
        if rng.random() < 0.3:
            del module[rng.randrange(0, len(module), 4) + 4:]
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(0, len(module), 4)
            module[at:at + 4] = struct.pack("<I", rng.choice(
                [0, 0xffffffff, rng.randrange(1 << 32), rng.randrange(300)]))
        return self.pb.CompileRequest(targets=["tgl"], spirv=bytes(module))

    def bad_glsl(self, rng):
        shader = rng.choice(self.shaders)
        at = rng.randrange(shader.text.index("main"), len(shader.text))
        request = self.pb.CompileRequest(targets=["tgl"])
        request.glsl.text = shader.text[:at] + "\n soak_%d error ;;; {" % rng.randrange(10**6)
        request.glsl.name, request.glsl.stage = shader.name, "compute"
        return request
