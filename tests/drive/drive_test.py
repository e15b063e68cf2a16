"""Tests of reflection, mutation and comparison on a module written down here, without a GPU
driver."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import drive  # noqa: E402
import meshes  # noqa: E402
import mutate  # noqa: E402
import vertex_job  # noqa: E402
from spirv_module import Module, Unsupported  # noqa: E402

TEXT = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 2 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 2 Offset 64
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 1 ColMajor
OpDecorate %array ArrayStride 8
OpDecorate %buffer DescriptorSet 1
OpDecorate %buffer Binding 3
OpDecorate %unused DescriptorSet 0
OpDecorate %unused Binding 0
OpDecorate %push Block
OpMemberDecorate %push 0 Offset 4
%void = OpTypeVoid
%f = OpTypeFloat 32
%u = OpTypeInt 32 0
%i = OpTypeInt 32 1
%v2 = OpTypeVector %f 2
%v3u = OpTypeVector %u 3
%mat = OpTypeMatrix %v2 3
%array = OpTypeRuntimeArray %u
%block = OpTypeStruct %i %mat %array
%p_block = OpTypePointer StorageBuffer %block
%p_u = OpTypePointer StorageBuffer %u
%p_id = OpTypePointer Input %v3u
%push = OpTypeStruct %u
%p_push = OpTypePointer PushConstant %push
%p_push_u = OpTypePointer PushConstant %u
%zero = OpConstant %i 0
%two = OpConstant %i 2
%buffer = OpVariable %p_block StorageBuffer
%unused = OpVariable %p_block StorageBuffer
%constants = OpVariable %p_push PushConstant
%id = OpVariable %p_id Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpAccessChain %p_u %buffer %two %zero
%x = OpLoad %u %a
%b = OpAccessChain %p_push_u %constants %zero
%y = OpLoad %u %b
%s = OpIAdd %u %x %y
%t = OpIMul %u %s %y
OpStore %a %t
OpReturn
OpFunctionEnd
"""

# Samplers of 1 and 2 are arguments of a function, which compares by the second; 3 is combined. 4 is an
# image and a sampler.
SAMPLERS = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %plain DescriptorSet 0
OpDecorate %plain Binding 1
OpDecorate %compare DescriptorSet 0
OpDecorate %compare Binding 2
OpDecorate %both DescriptorSet 0
OpDecorate %both Binding 3
OpDecorate %hlsl DescriptorSet 0
OpDecorate %hlsl Binding 4
OpDecorate %hlsl_sampler DescriptorSet 0
OpDecorate %hlsl_sampler Binding 4
%void = OpTypeVoid
%f = OpTypeFloat 32
%v2 = OpTypeVector %f 2
%v4 = OpTypeVector %f 4
%zero = OpConstant %f 0
%at = OpConstantComposite %v2 %zero %zero
%t_image = OpTypeImage %f 2D 0 0 0 1 Unknown
%t_sampler = OpTypeSampler
%t_both = OpTypeSampledImage %t_image
%p_image = OpTypePointer UniformConstant %t_image
%p_sampler = OpTypePointer UniformConstant %t_sampler
%p_both = OpTypePointer UniformConstant %t_both
%image = OpVariable %p_image UniformConstant
%plain = OpVariable %p_sampler UniformConstant
%compare = OpVariable %p_sampler UniformConstant
%both = OpVariable %p_both UniformConstant
%hlsl = OpVariable %p_image UniformConstant
%hlsl_sampler = OpVariable %p_sampler UniformConstant
%fn = OpTypeFunction %void
%fn_sample = OpTypeFunction %void %p_sampler %p_sampler
%main = OpFunction %void None %fn
%l = OpLabel
%call = OpFunctionCall %void %sample %plain %compare
%x = OpLoad %t_both %both
%y = OpImageSampleDrefExplicitLod %f %x %at %zero Lod %zero
%i = OpLoad %t_image %hlsl
%s = OpLoad %t_sampler %hlsl_sampler
%k = OpSampledImage %t_both %i %s
%z = OpImageSampleExplicitLod %v4 %k %at Lod %zero
OpReturn
OpFunctionEnd
%sample = OpFunction %void None %fn_sample
%a = OpFunctionParameter %p_sampler
%b = OpFunctionParameter %p_sampler
%l2 = OpLabel
%j = OpLoad %t_image %image
%sa = OpLoad %t_sampler %a
%sb = OpLoad %t_sampler %b
%ja = OpSampledImage %t_both %j %sa
%jb = OpSampledImage %t_both %j %sb
%r = OpImageSampleExplicitLod %v4 %ja %at Lod %zero
%t = OpImageSampleDrefExplicitLod %f %jb %at %zero Lod %zero
OpReturn
OpFunctionEnd
"""

# One move of each kind: a shuffle, one that repeats a component, an extraction, a construction, a
# selection.
MOVES = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%u = OpTypeInt 32 0
%v2 = OpTypeVector %u 2
%v3 = OpTypeVector %u 3
%p_id = OpTypePointer Input %v3
%yes = OpConstantTrue %bool
%one = OpConstant %u 1
%id = OpVariable %p_id Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpLoad %v3 %id
%b = OpVectorShuffle %v2 %a %a 2 0
%c = OpVectorShuffle %v3 %b %b 1 1 1
%d = OpCompositeExtract %u %c 2
%e = OpCompositeConstruct %v2 %d %one
%f = OpSelect %v2 %yes %b %e
OpReturn
OpFunctionEnd
"""


class DriveTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.path = os.path.join(cls.folder.name, "m.spv")
        subprocess.run(["spirv-as", "--target-env", "spv1.4", "-o", cls.path, "-"],
                       input=TEXT.replace("%main \"main\" %id",
                                          "%main \"main\" %id %buffer %unused %constants").encode(),
                       check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_reflection(self):
        m = Module.load(self.path)
        self.assertEqual(m.entry_name, "main")
        self.assertEqual(m.local_size(), [8, 2, 1])
        self.assertEqual(list(m.resources()), [(1, 3)])  # the unused one is not a resource
        r = m.resources()[(1, 3)][0]
        self.assertTrue(r.writable)
        self.assertEqual(m.size(r.type), 64)
        self.assertEqual(m.size(m.push_type()), 8)

    def test_comparing_samplers(self):
        path = os.path.join(self.folder.name, "samplers.spv")
        subprocess.run(["spirv-as", "--target-env", "spv1.3", "-o", path, "-"],
                       input=SAMPLERS.encode(), check=True)
        m = Module.load(path)
        self.assertEqual(m.compared(), {(0, 2), (0, 3)})
        job = drive.Maker(m, 0, 1).job("m.spv", [1, 1, 1])
        by_binding = {r["binding"]: r for r in job["resources"]}
        self.assertNotIn("compare", by_binding[1])
        for binding in (2, 3):
            self.assertIn("compare", by_binding[binding])
        self.assertTrue({"format", "filter"} <= set(by_binding[4]), "an image and a sampler")

    def test_leaves(self):
        m = Module.load(self.path)
        r = m.resources()[(1, 3)][0]
        got = [(o, k, b) for o, k, b, _ in m.leaves(r.type, 24)]
        floats = [(16 + 16 * c + 4 * k, "f", 32) for c in range(3) for k in range(2)]
        self.assertEqual(got, [(0, "i", 32)] + floats + [(64 + 8 * k, "u", 32) for k in range(3)])

    def test_job_is_a_function_of_recipe_and_seed(self):
        a, types = drive.make_job(self.path, 0, 1)
        b, _ = drive.make_job(self.path, 0, 1)
        c, _ = drive.make_job(self.path, 0, 2)
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.assertEqual(a["dispatch"], [2, 1, 1])
        self.assertEqual([(r["set"], r["binding"]) for r in a["resources"]], [(1, 3)])
        size = len(a["resources"][0]["data"]["hex"]) // 2
        self.assertGreaterEqual(size, 64 + drive.RUNTIME_BYTES)
        self.assertEqual(types[(1, 3)][0], (0, "i", 32))

    def test_mutations_change_exactly_one_operation(self):
        sites = mutate.sites(self.path)
        before = Module.load(self.path).words
        self.assertEqual([before[s] & 0xffff for s in sites], [128, 132])
        for site, op in zip(sites, (130, 128)):
            out = os.path.join(self.folder.name, "mutant.spv")
            mutate.apply(self.path, site, out)
            subprocess.run(["spirv-val", "--target-env", "spv1.4", out], check=True)
            after = Module.load(out).words
            self.assertEqual([k for k in range(len(before)) if before[k] != after[k]], [site])
            self.assertEqual(after[site] & 0xffff, op)

    def test_moves_are_changed_or_left_out(self):
        m = Module.load(self.path)
        changed, left_out = mutate.moves(m)
        self.assertEqual([m.words[s] & 0xffff for s in changed], [])
        self.assertEqual([m.words[s] & 0xffff for s in left_out], [62])
        for site, new in left_out.items():
            out = os.path.join(self.folder.name, "mutant.spv")
            mutate.write(m.words, site, new, out)
            subprocess.run(["spirv-val", "--target-env", "spv1.4", out], check=True)

    def test_outputs(self):
        self.assertTrue(mutate.has_output(Module.load(self.path)))

    def test_drawn_recipes_are_the_same_for_the_same_number(self):
        number = len(drive.RECIPES) + 3
        self.assertEqual(drive.recipe_of(number), drive.recipe_of(number))
        self.assertNotEqual(drive.recipe_of(number), drive.recipe_of(number + 1))
        self.assertEqual(drive.make_job(self.path, number, 1), drive.make_job(self.path, number, 1))

    def test_moves_of_components(self):
        path, out = (os.path.join(self.folder.name, n) for n in ("moves.spv", "mutant.spv"))
        subprocess.run(["spirv-as", "--target-env", "spv1.4", "-o", path, "-"],
                       input=MOVES.encode(), check=True)
        m = Module.load(path)
        self.assertFalse(mutate.has_output(m))
        changed, _ = mutate.moves(m)
        self.assertEqual([m.words[s] & 0xffff for s in sorted(changed)], [79, 79, 81, 80, 169])
        for site, new in changed.items():
            mutate.write(m.words, site, new, out)
            subprocess.run(["spirv-val", "--target-env", "spv1.4", out], check=True)
            self.assertNotEqual(Module.load(out).words, m.words)

    def test_garbage_is_refused(self):
        for data in (b"", b"\0" * 40, b"\x03\x02\x23\x07" + b"\xff" * 36):
            with self.assertRaises(Unsupported):
                Module(data)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


# A matrix, then an array of two integers, two inputs in one location, and an input that is no
# attribute.
VERTEX = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %m %a %x %y %n
OpDecorate %m Location 1
OpDecorate %a Location 4
OpDecorate %x Location 7
OpDecorate %y Location 7
OpDecorate %y Component 2
OpDecorate %n BuiltIn VertexIndex
OpDecorate %other Location 9
%void = OpTypeVoid
%f = OpTypeFloat 32
%i = OpTypeInt 32 1
%u = OpTypeInt 32 0
%v2 = OpTypeVector %f 2
%mat = OpTypeMatrix %v2 3
%two = OpConstant %u 2
%array = OpTypeArray %i %two
%p_mat = OpTypePointer Input %mat
%p_array = OpTypePointer Input %array
%p_v2 = OpTypePointer Input %v2
%p_f = OpTypePointer Input %f
%p_i = OpTypePointer Input %i
%m = OpVariable %p_mat Input
%a = OpVariable %p_array Input
%x = OpVariable %p_v2 Input
%y = OpVariable %p_f Input
%n = OpVariable %p_i Input
%other = OpVariable %p_f Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
"""


class VertexJobTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            cls.path = os.path.join(folder, "v.spv")
            subprocess.run(["spirv-as", "--target-env", "spv1.0", "-o", cls.path, "-"],
                           input=VERTEX.encode(), check=True)
            cls.module = vertex_job.VertexModule.load(cls.path)

    def test_attributes_by_location(self):
        self.assertEqual(self.module.attributes(),
                         {1: ("f32", 2), 2: ("f32", 2), 3: ("f32", 2), 4: ("i32", 1), 5: ("i32", 1),
                          7: ("f32", 3)})

    def test_there_are_values_up_to_the_last_vertex_drawn(self):
        for number in range(len(vertex_job.ORDER)):
            job, _ = vertex_job.make_job(self.module, self.path, number)
            draw = job["vertices"]
            self.assertNotIn("dispatch", job)
            for i in draw["inputs"]:
                kind, count = self.module.attributes()[i["location"]]
                if i["rate"] == "instance":
                    last = draw.get("first_instance", 0) + draw.get("instances", 1)
                elif "indices" in draw:
                    last = max(draw["indices"]) + draw.get("vertex_offset", 0) + 1
                else:
                    last = draw.get("first_vertex", 0) + draw["count"]
                self.assertEqual(len(i[kind]), count * last)

    def test_seeds_and_recipes_differ(self):
        jobs = [vertex_job.make_job(self.module, self.path, n, s)[0] for n in (0, 1) for s in (1, 2)]
        for k, job in enumerate(jobs):
            self.assertNotIn(job, jobs[:k])
        self.assertEqual(jobs[0], vertex_job.make_job(self.module, self.path, 0, 1)[0])

    def test_fragments_are_none(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = os.path.join(folder, "f.spv")
            subprocess.run(["spirv-as", "--target-env", "spv1.0", "-o", path, "-"],
                           input=VERTEX.replace("Vertex %main", "GLCompute %main").encode(), check=True)
            self.assertRaises(Unsupported, vertex_job.VertexModule.load, path)


class MeshesTest(unittest.TestCase):
    """Draws whose triangles share vertices."""

    def test_grids(self):
        self.assertEqual(meshes.grid_list(3, 2), [0, 1, 3, 3, 1, 4, 1, 2, 4, 4, 2, 5])
        self.assertEqual(meshes.grid_strips(2, 3), ([0, 2, 1, 3, 2, 4, 3, 5], [4]))
        indices, restarts = meshes.grid_fans(5, 3)
        self.assertEqual(indices[:10], [6, 0, 1, 2, 7, 12, 11, 10, 5, 0])
        self.assertEqual((restarts, len(indices)), ([10], 20))

    def test_more_primitives_than_vertices(self):
        draw = meshes.DRAWS[0]
        self.assertEqual(len(set(draw["indices"])), 64)
        self.assertEqual(len(draw["indices"]) // 3, 98)

    def test_jobs_are_without_the_assembly(self):
        job = {"shader": "x", "vertices": {"indices": [0], "assembly": {"topology": "fan"}}}
        self.assertEqual(meshes.split(job), ({"shader": "x", "vertices": {"indices": [0]}},
                                             ['--assembly={"topology": "fan"}']))
        self.assertIn("assembly", job["vertices"])
        self.assertEqual(meshes.split({"shader": "x"}), ({"shader": "x"}, []))


class CompareTest(unittest.TestCase):

    def test_floats(self):
        leaves = [(0, "f", 32)]
        one, near, far = f32(1000.0), f32(1000.0006), f32(1001.0)
        self.assertIsNone(compare.compare(one, near, leaves, 16))
        self.assertIsNotNone(compare.compare(one, near, leaves, 8))
        self.assertIsNotNone(compare.compare(one, far, leaves, 16))
        self.assertIsNone(compare.compare(f32(float("nan")), b"\1\0\xc0\xff", leaves, 0))
        self.assertIsNotNone(compare.compare(f32(float("nan")), f32(0.0), leaves, 16))
        self.assertIsNotNone(compare.compare(f32(float("inf")), f32(3e38), leaves, 16))
        self.assertIsNone(compare.compare(f32(-0.0), f32(1e-40), leaves, 0))
        self.assertIsNone(compare.compare(f32(1e-6), f32(2e-6), leaves, 0))
        self.assertIsNotNone(compare.compare(f32(1e-5), f32(2e-5), leaves, 16))

    def test_integers_and_gaps_are_exact(self):
        leaves = [(4, "u", 32)]
        a = struct.pack("<III", 1, 2, 3)
        self.assertIsNone(compare.compare(a, bytes(a), leaves, 16))
        for k in range(3):
            b = bytearray(a)
            b[4 * k] ^= 1
            self.assertIsNotNone(compare.compare(a, bytes(b), leaves, 1 << 30))
        self.assertIsNotNone(compare.compare(a, a[:8], leaves, 16))

    def test_addresses_are_each_executions_own(self):
        self.assertIsNone(compare.compare(b"\1" * 8, b"\2" * 8, [(0, "p", 64)], 0))

    def test_half(self):
        leaves = [(0, "f", 16)]
        self.assertIsNone(compare.compare(b"\0\x3c", b"\2\x3c", leaves, 2))
        self.assertIsNotNone(compare.compare(b"\0\x3c", b"\3\x3c", leaves, 2))


if __name__ == "__main__":
    unittest.main()
