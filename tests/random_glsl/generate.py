#!/usr/bin/env python3
"""Writes random compute shaders in GLSL, with data to run them on.

    generate.py SEED            the shader, on standard output
    generate.py SEED --job      the job for it (tests/peer/README.md, without "shader")

It shares nothing with Kiln or its MIR generator (core/oracle/generate.h): the programs are in the language
that people write. Invariants of every program, so that every implementation has to give the same bits:

  * It ends: loops count to a small bound, and loops in loops to a smaller one.
  * Integers are divided by positive numbers, shifted by less than their width; signed remainders and bit
    fields are of operands for which GLSL defines them. Overflow wraps.
  * Floats are multiples of a power of two with so few bits (Float below) that all arithmetic on them is
    exact, contracted or not.
  * Indices are masked; variables are initialised.
  * No race: an invocation stores only to its own elements; others read them after a barrier, which only
    uniform control flow reaches; atomics commute, and their results are not used.
  * Results of subgroup operations do not depend on the subgroup size: they are of groups of 8 invocations or
    fewer, or of a ballot reduced to these; lanes read only lanes that are active. (lavapipe has subgroups of 8.)

The same seed gives the same text on every machine.
"""

import argparse
import json
import random
import sys

# name -> (bits, signed)
INTEGERS = {"int": (32, True), "uint": (32, False), "int8_t": (8, True), "uint8_t": (8, False),
            "int16_t": (16, True), "uint16_t": (16, False), "int64_t": (64, True),
            "uint64_t": (64, False)}
WORDS = 64            # of each input
SLOTS = 6             # that each invocation has in each output
FLOAT_BITS = {"float": 24, "float16_t": 11}
HEAD = """#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
"""
# Outputs, by the type of their elements.
OUTPUTS = ["uint", "uint8_t", "uint16_t", "uint64_t"]


class Scope:
    """Variables by type, of a block and those around it; arrays by element type."""

    def __init__(self, outer=None):
        self.readable = {k: list(v) for k, v in outer.readable.items()} if outer else {}
        self.writable = {k: list(v) for k, v in outer.writable.items()} if outer else {}
        self.arrays = list(outer.arrays) if outer else []       # (name, element type, mask of indices)

    def add(self, kind, name, writable=True):
        self.readable.setdefault(kind, []).append(name)
        if writable:
            self.writable.setdefault(kind, []).append(name)


class Function:
    def __init__(self, name, result, parameters):
        self.name, self.result, self.parameters = name, result, parameters   # (type, direction)


class Generator:

    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        r = self.r
        self.local = r.choice([(8, 1, 1), (32, 1, 1), (16, 2, 1), (8, 4, 2), (64, 1, 1), (40, 1, 1),
                               (24, 1, 1), (4, 4, 3)])
        self.lanes = self.local[0] * self.local[1] * self.local[2]
        self.groups = r.choice([(1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 1, 3)])
        self.integers = ["int", "uint"] + r.sample(["int8_t", "uint8_t", "int16_t", "uint16_t",
                                                    "int64_t", "uint64_t"], r.randint(0, 4))
        self.floats = r.sample(["float", "float16_t"], r.randint(0, 2))
        self.outputs = ["uint"] + [t for t in OUTPUTS[1:] if r.random() < 0.35]
        self.shared = r.choice(self.integers) if r.random() < 0.6 else None
        self.subgroups = r.random() < 0.5
        self.functions = []
        self.names = 0
        self.text = []
        self.indent = 0
        self.in_function = None      # the function being written; None: main
        self.loops = []              # enclosing "for", "while", "switch"
        self.shared_is_read = False
        self.shared_is_counted = False    # do atomics on shared memory end before it is read?
        self.budget = 0
        self.kept = []

    # ---- Text ----

    def name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    def line(self, text):
        self.text.append("  " * self.indent + text)

    def one_of(self, *choices):
        return self.r.choice(choices)

    # ---- Expressions ----

    def literal(self, kind):
        bits, signed = INTEGERS[kind]
        r = self.r
        value = r.choice([0, 1, 2, 3, 5, 7, 8, 31, 100, 127, r.getrandbits(bits - 1),
                          (1 << (bits - 1)) - 1])
        if signed and r.random() < 0.3:
            return "(-%s)" % self.constant(kind, value)
        return self.constant(kind, value)

    @staticmethod
    def constant(kind, value):
        value &= (1 << (INTEGERS[kind][0] - INTEGERS[kind][1])) - 1
        if kind == "uint":
            return "%du" % value
        if kind == "int":
            return "%d" % value
        if kind.endswith("64_t"):
            return "%d%s" % (value, "l" if kind == "int64_t" else "ul")
        return "%s(%d)" % (kind, value)

    def index(self, mask, depth=1):
        return "(%s & %du)" % (self.expression("uint", depth), mask)

    def leaf(self, kind, scope):
        r = self.r
        names = scope.readable.get(kind, [])
        if names and r.random() < 0.65:
            return r.choice(names)
        arrays = [a for a in scope.arrays if a[1] == kind]
        if arrays and r.random() < 0.6:
            name, _, mask = r.choice(arrays)
            return "%s[%s & %du]" % (name, r.choice(scope.readable["uint"]), mask)
        choice = r.random()
        if choice < 0.25:
            return self.literal(kind)
        if choice < 0.45 and kind in ("int", "uint"):
            return "%s(%s)" % (kind, self.one_of("gl_LocalInvocationIndex", "gl_GlobalInvocationID.x",
                                                 "gl_WorkGroupID.x", "gl_LocalInvocationID.y",
                                                 "gl_NumWorkGroups.x"))
        if choice < 0.55:
            return "%s(push.%s)" % (kind, self.one_of("a", "b", "c", "d"))
        if choice < 0.65 and kind in ("int", "uint"):
            return "%s(uniforms.v[%s & 7u].%s)" % (
                kind, r.choice(scope.readable["uint"]), r.choice("xyzw"))
        if choice < 0.75 and self.shared_is_read:
            return "%s(shared_words[%s %% %du])" % (kind, r.choice(scope.readable["uint"]), self.lanes)
        if choice < 0.9:
            source = r.choice(["in32.d", "in8.d", "in16.d", "in64.d"])
            return "%s(%s[%s & %du])" % (kind, source, r.choice(scope.readable["uint"]), WORDS - 1)
        return "%s(%s)" % (kind, r.choice(scope.readable["uint"]))

    def expression(self, kind, depth, scope=None):
        scope = scope or self.scope
        if kind == "bool":
            return self.condition(depth, scope)
        if depth <= 0:
            return self.leaf(kind, scope)
        e = lambda k=kind, d=depth - 1: self.expression(k, d, scope)
        bits, signed = INTEGERS[kind]
        shift = lambda: "(%s & %s)" % (e(kind), self.constant(kind, bits - 1))
        positive = lambda: "((%s & %s) | %s)" % (e(), self.constant(kind, self.one_of(7, 63, 127)),
                                                self.constant(kind, 1))
        cast = lambda text: "%s(%s)" % (kind, text)   # converts what GLSL has promoted
        top = self.constant(kind, (1 << (bits - 1)) - 1)
        choices = [
            lambda: "(%s %s %s)" % (e(), self.one_of("+", "-", "*", "&", "|", "^"), e()),
            lambda: "(%s %s %s)" % (e(), self.one_of("+", "-", "*", "&", "|", "^"), e()),
            lambda: "(%s %s %s)" % (e(), self.one_of("<<", ">>"), shift()),
            lambda: "(%s / %s)" % (e(), positive()),
            lambda: "((%s & %s) %% %s)" % (e(), top, positive()),
            lambda: "(%s%s)" % (self.one_of("~", "-"), e()),
            lambda: "%s(%s, %s)" % (self.one_of("min", "max"), e(), e()),
            lambda: "clamp(%s, %s, %s)" % (e(), self.constant(kind, 3), self.constant(kind, 99)),
            lambda: cast(e(self.r.choice(self.integers))),
            lambda: cast(e(self.r.choice(self.integers))),
            lambda: "(%s ? %s : %s)" % (self.condition(depth - 1, scope), e(), e()),
            lambda: self.leaf(kind, scope),
        ]
        if signed:
            choices.append(lambda: "%s(%s)" % (self.one_of("abs", "sign"), e()))
        if bits == 32:
            choices += [
                lambda: cast("%s(%s)" % (self.one_of("bitCount", "findLSB", "findMSB"), e())),
                lambda: "bitfieldReverse(%s)" % e(),
                lambda: "bitfieldExtract(%s, %d, %d)" % (e(), self.r.randint(0, 20),
                                                         self.r.randint(0, 12)),
                lambda: "bitfieldExtract(%s, int(%s), int(%s))" % (
                    e(), "%s & 15u" % e("uint"), "%s & 15u" % e("uint")),
                lambda: "bitfieldInsert(%s, %s, %d, %d)" % (e(), e(), self.r.randint(0, 20),
                                                            self.r.randint(0, 12)),
                lambda: self.vector_expression(kind, depth - 1, scope),
            ]
        if self.floats:
            choices.append(lambda: cast("int(%s)" % self.truncated(depth - 1, scope)))
        calls = [f for f in self.functions if f.result == kind]
        if calls and not self.in_function and len(self.loops) < 2:
            choices.append(lambda: self.call(self.r.choice(calls), scope))
        return self.r.choice(choices)()

    def vector_expression(self, kind, depth, scope):
        """Returns a component of a vector expression."""
        n = self.r.randint(2, 4)
        vec = ("ivec%d" if kind == "int" else "uvec%d") % n
        make = lambda: "%s(%s)" % (vec, ", ".join(self.expression(kind, max(0, depth - 1), scope)
                                                  for _ in range(n)))
        swizzle = "".join(self.r.choice("xyzw"[:n]) for _ in range(n))
        form = self.r.randrange(4)
        if form == 0:
            return "(%s %s %s).%s" % (make(), self.one_of("+", "-", "*", "^", "&"), make(),
                                      self.r.choice("xyzw"[:n]))
        if form == 1:
            return "(%s.%s + %s).%s" % (make(), swizzle, make(), self.r.choice("xyzw"[:n]))
        if form == 2:
            return "%s(%s, %s).%s" % (self.one_of("min", "max"), make(), make(),
                                      self.r.choice("xyzw"[:n]))
        return "%s[%s %% %du]" % (make(), self.leaf("uint", scope), n)

    def call(self, function, scope):
        words = []
        for kind, direction in function.parameters:
            if direction == "in":
                words.append(self.expression(kind, 1, scope))
            else:
                names = [n for n in scope.writable.get(kind, []) if n not in words]
                if not names:
                    return self.leaf(function.result, scope)
                words.append(self.r.choice(names))
        # GLSL leaves open in which order out parameters and the rest of an expression are
        # evaluated.
        if any(d != "in" for _, d in function.parameters):
            if not self.hoist:
                return self.leaf(function.result, scope)
            name = self.name("t")
            self.hoisted.append("%s %s = %s(%s);" % (function.result, name, function.name,
                                                     ", ".join(words)))
            return name
        return "%s(%s)" % (function.name, ", ".join(words))

    def condition(self, depth, scope=None):
        scope = scope or self.scope
        r = self.r
        if depth > 0 and r.random() < 0.3:
            a, b = self.condition(depth - 1, scope), self.condition(depth - 1, scope)
            return r.choice(["(%s && %s)", "(%s || %s)", "(%s ^^ %s)", "(!%s == %s)"]) % (a, b)
        names = scope.readable.get("bool", [])
        if names and r.random() < 0.2:
            return r.choice(names)
        if self.floats and r.random() < 0.15:
            kind = r.choice(self.floats)
            return "(%s %s %s)" % (self.float_expression(kind, 1, scope)[0],
                                   self.one_of("<", "<=", ">", "==", "!="),
                                   self.float_expression(kind, 1, scope)[0])
        # It is undefined if lanes that fall through a case reconverge with those that enter the
        # next one.
        if self.subgroups and not self.in_function and "switch" not in self.loops and r.random() < 0.1:
            return "((subgroupBallot(%s)[gl_SubgroupInvocationID / 32u] >> " \
                   "(gl_SubgroupInvocationID & 24u) & %du) != 0u)" % (
                       self.comparison(0, scope), r.choice([255, 15, 3]))
        return self.comparison(depth - 1, scope)

    def comparison(self, depth, scope):
        kind = self.r.choice(self.integers)
        return "(%s %s %s)" % (self.expression(kind, depth, scope),
                               self.one_of("<", "<=", ">", ">=", "==", "!="),
                               self.expression(kind, depth, scope))

    # Floats: (text, bits, fraction bits): a multiple of 2^-fraction, below 2^bits of these units.

    def float_leaf(self, kind, scope):
        bits = self.r.choice([3, 5]) if kind == "float16_t" else self.r.choice([4, 8, 10])
        if self.r.random() < 0.3:
            n = self.r.randrange(1 << bits)
            return "%s(%d.%s)" % (kind, n // 4, (0, 25, 5, 75)[n % 4]), bits + 2, 2
        text = "%s(int(%s & %du))" % (kind, self.expression("uint", 0, scope), (1 << bits) - 1)
        return text, bits, 0

    def float_expression(self, kind, depth, scope):
        limit = FLOAT_BITS[kind]
        if depth <= 0:
            return self.float_leaf(kind, scope)
        a, an, af = self.float_expression(kind, depth - 1, scope)
        b, bn, bf = self.float_expression(kind, depth - 1, scope)
        form = self.r.randrange(6)
        f = max(af, bf)
        total = max(an + f - af, bn + f - bf)
        if form <= 1 and total + 1 <= limit:
            return "(%s %s %s)" % (a, self.one_of("+", "-"), b), total + 1, f
        if form == 2 and an + bn <= limit and af + bf <= 8:
            return "(%s * %s)" % (a, b), an + bn, af + bf
        if form == 3:
            return "%s(%s)" % (self.one_of("floor", "ceil", "abs", "trunc"), a), an + 1, af
        if form == 4 and total <= limit:
            return "%s(%s, %s)" % (self.one_of("min", "max"), a, b), total, f
        if form == 5 and af <= 6 and an + 1 <= limit:
            return "(%s * %s(0.5))" % (a, kind), an, af + 1
        return "(-%s)" % a, an, af

    def truncated(self, depth, scope):
        return self.float_expression(self.r.choice(self.floats), min(depth, 3), scope)[0]

    # ---- Statements ----

    def declare(self, kind, value, prefix="v"):
        name = self.name(prefix)
        self.line("%s %s = %s;" % (kind, name, value))
        self.scope.add(kind, name)
        return name

    def hoisting(self, make):
        """Returns the text of an expression; calls that write parameters come before it."""
        self.hoist, self.hoisted = not self.in_function, []
        text = make()
        for statement in self.hoisted:
            self.line(statement)
        self.hoist = False
        return text

    def value(self, kind):
        depth = self.r.randint(1, 3 if len(self.loops) < 2 else 2)
        return self.hoisting(lambda: self.expression(kind, depth))

    def assign(self):
        kinds = [k for k in self.scope.writable if k in INTEGERS and self.scope.writable[k]]
        if not kinds:
            return
        kind = self.r.choice(kinds)
        name = self.r.choice(self.scope.writable[kind])
        op = self.one_of("=", "=", "+=", "^=", "-=", "*=", "|=", "&=")
        self.line("%s %s %s;" % (name, op, self.value(kind)))

    def assign_element(self):
        if not self.scope.arrays:
            return self.assign()
        name, kind, mask = self.r.choice(self.scope.arrays)
        self.line("%s[%s] %s %s;" % (name, self.index(mask), self.one_of("=", "+=", "^="),
                                     self.value(kind)))

    def block(self, statements):
        """Writes statements in a scope of their own."""
        outer, self.scope = self.scope, Scope(self.scope)
        self.indent += 1
        for _ in range(statements):
            self.statement()
        self.indent -= 1
        self.scope = outer

    def if_statement(self):
        self.line("if (%s) {" % self.hoisting(lambda: self.condition(2)))
        self.block(self.r.randint(1, 3))
        if self.r.random() < 0.5:
            self.line("} else {")
            self.block(self.r.randint(1, 3))
        self.line("}")

    def bound(self):
        most = (7, 5, 3)[min(len(self.loops), 2)]
        return "(%s & %du)" % (self.expression("uint", 1), 1 << (most.bit_length() - 1)) \
            if self.r.random() < 0.3 else "(%s %% %du)" % (self.expression("uint", 1), most)

    def loop(self):
        if len(self.loops) >= 3:
            return self.assign()
        name, bound = self.name("i"), self.bound()
        form = self.r.randrange(3)
        if form == 0:
            self.line("for (uint %s = 0u; %s < %s; ++%s) {" % (name, name, bound, name))
        else:
            self.line("uint %s = %s;" % (name, bound))
            self.line("while (%s-- != 0u) {" % name if form == 1 else "do {")
        outer, self.scope = self.scope, Scope(self.scope)
        self.scope.add("uint", name, writable=False)
        self.loops.append("loop")
        self.block(self.r.randint(1, 4))
        self.loops.pop()
        self.scope = outer
        # A continue does not skip the counter, which is in the condition.
        self.line("}" if form != 2 else "} while (%s-- > 0u && %s < 8u);" % (name, name))

    def switch(self):
        if len(self.loops) >= 3:
            return self.assign()
        kind = self.one_of("int", "uint")
        self.line("switch (%s & %s) {" % (self.value(kind), self.constant(kind, 7)))
        cases = self.r.sample(range(8), self.r.randint(2, 5))
        self.loops.append("switch")
        for n, case in enumerate(cases):
            self.line("case %s:" % self.constant(kind, case))
            if self.r.random() < 0.2:
                self.line("case %s:" % self.constant(kind, case + 8))   # never
            self.line("{")
            self.block(self.r.randint(1, 2))
            self.line("}")
            if n + 1 == len(cases) or self.r.random() < 0.7:
                self.line("break;")
        if self.r.random() < 0.6:
            self.line("default: {")
            self.block(1)
            self.line("}")
            self.line("break;")
        self.loops.pop()
        self.line("}")

    def leave(self):
        """Writes break, continue or an early return, under a condition."""
        words = []
        if "loop" in self.loops:
            words += ["continue;"] + ["break;"]
        if self.in_function:
            words.append("return %s;" % self.expression(self.in_function, 1))
        if not words:
            return self.assign()
        self.line("if (%s) %s" % (self.condition(1), self.r.choice(words)))

    def declare_something(self):
        r = self.r
        if r.random() < 0.15:
            self.declare("bool", self.condition(2), "b")
        elif r.random() < 0.2:
            kind, size = r.choice(self.integers), r.choice([2, 4, 8])
            name = self.name("a")
            self.line("%s %s[%d] = %s[](%s);" % (kind, name, size, kind, ", ".join(
                self.expression(kind, 1) for _ in range(size))))
            self.scope.arrays.append((name, kind, size - 1))
        else:
            kind = r.choice(self.integers)
            self.declare(kind, self.value(kind))

    def struct(self):
        if self.in_function:
            return self.assign()
        name = self.name("s")
        self.line("Pair %s = Pair(%s, %s, uint[3](%s));" % (
            name, self.expression("int", 1), self.expression("uint", 1),
            ", ".join(self.expression("uint", 1) for _ in range(3))))
        if self.r.random() < 0.5:
            other = self.name("s")
            self.line("Pair %s = %s;" % (other, name))
            self.line("if (%s) %s = Pair(%s, %s, %s.w);" % (
                self.condition(1), other, self.expression("int", 1), self.expression("uint", 1), name))
            name = other
        self.line("%s.w[%s %% 3u] ^= %s;" % (name, self.expression("uint", 1),
                                             self.expression("uint", 1)))
        self.scope.add("int", name + ".x")
        self.scope.add("uint", name + ".y")
        self.scope.add("uint", name + ".w[1]")

    def carry(self):
        """Writes an operation with two results."""
        low, high = self.name("v"), self.name("v")
        a, b = self.expression("uint", 1), self.expression("uint", 1)
        self.line("uint %s, %s;" % (low, high))
        if self.r.random() < 0.5:
            self.line("umulExtended(%s, %s, %s, %s);" % (a, b, high, low))
        else:
            self.line("%s = %s(%s, %s, %s);" % (low, self.one_of("uaddCarry", "usubBorrow"), a, b, high))
        self.scope.add("uint", low)
        self.scope.add("uint", high)

    def atomic(self):
        """Writes an atomic on a counter that is read only at the end."""
        if self.in_function:
            return self.assign()
        op, place = self.r.choice([("atomicAdd", 0), ("atomicXor", 1), ("atomicMax", 2), ("atomicMin", 3),
                                   ("atomicOr", 4), ("atomicAnd", 5)])
        target = "counters.d[%du + (%s & 1u) * 8u]" % (place, self.expression("uint", 0))
        if self.shared_is_counted and self.r.random() < 0.5:
            target = "shared_counters[%d]" % place
        self.line("%s(%s, %s);" % (op, target, self.expression("uint", 1)))

    def statement(self):
        self.budget -= 1
        small = [self.assign, self.assign, self.assign_element, self.declare_something,
                 self.declare_something, self.carry, self.atomic, self.leave]
        if self.budget < 0 or len(self.loops) + self.indent > 6:
            return self.r.choice(small)()
        self.r.choice(small + [self.if_statement, self.if_statement, self.loop, self.loop,
                               self.switch, self.leave, self.struct])()

    # ---- Values live through everything: more than 32 lanes have registers for ----

    def keep(self):
        """Writes variables that are live across a loop and change in nested ifs, with continue and break."""
        r = random.Random("kept %d" % self.seed)
        self.kept = ["kept%d" % k for k in range(r.choice([16, 24, 32, 40]))]
        for k, name in enumerate(self.kept):
            self.line("uint %s = in32.d[(me + %du) & 63u] * %du;" % (name, r.randrange(64), 2 * k + 1))
        for n in range(r.choice([1, 2])):
            count = "round%d" % n
            self.line("for (uint %s = 0u; %s < (%s & 3u); ++%s) {" % (count, count, r.choice(self.kept),
                                                                     count))
            self.indent += 1
            for _ in range(r.randint(4, 16)):
                self.keep_if(r, count, 0)
            self.indent -= 1
            self.line("}")

    def keep_if(self, r, count, depth):
        some = lambda: r.choice(self.kept)
        a, b = some(), some()
        self.line("if (((%s ^ %s) & 3u) == %du) {" % (a, count, r.randrange(4)))
        self.indent += 1
        self.line("%s += %s * 3u;" % (some(), b))
        for _ in range(r.randint(0, 2) if depth < 3 else 0):
            self.keep_if(r, count, depth + 1)
        if r.random() < 0.3:
            self.line("if ((%s & 7u) == %s) %s;" % (some(), count, r.choice(["continue"] * 3 + ["break"])))
        self.indent -= 1
        if r.random() < 0.7:
            self.line("} else {")
            self.line("  %s ^= %s + %du;" % (some(), a, r.randrange(64)))
        self.line("}")

    def forget(self):
        for n, name in enumerate(self.kept):
            if n == 0:
                self.line("uint kept = 0u;")
                self.scope.add("uint", "kept")
            self.line("kept = kept * 5u + %s;" % name)

    # ---- In uniform control flow of main ----

    def store_outputs(self):
        """Stores current values to the invocation's own elements."""
        for kind in self.outputs:
            slot = self.r.randrange(SLOTS)
            self.line("out_%s.d[me * %du + %du] %s= %s;" % (kind, SLOTS, slot, self.one_of("", "^", "+"),
                                                           self.value_of_output(kind)))

    def digest(self):
        """Combines all variables of main into one output, so that few operations reach none."""
        self.line("uint digest = 0u;")
        for kind in self.scope.readable:
            for name in self.scope.readable[kind]:
                self.line("digest = digest * 31u + uint(%s);" % name)
                if INTEGERS.get(kind, (0, 0))[0] == 64:
                    self.line("digest ^= uint(%s >> 32);" % name)
        for name, _, mask in self.scope.arrays:
            for k in range(mask + 1):
                self.line("digest = digest * 31u + uint(%s[%d]);" % (name, k))
        self.line("out_uint.d[me * %du] ^= digest;" % SLOTS)

    def value_of_output(self, kind):
        source = self.r.choice(self.integers)
        return "%s(%s)" % (kind, self.hoisting(lambda: self.expression(source, 2)))

    def share(self):
        """Each invocation writes an element of shared memory and reads another invocation's."""
        if not self.shared:
            return
        self.line("shared_words[gl_LocalInvocationIndex] = %s;" % self.value(self.shared))
        self.line("barrier();")
        self.shared_is_read = True
        self.declare(self.shared, "shared_words[(gl_LocalInvocationIndex %s %du) %% %du]" % (
            self.one_of("+", "*", "^"), self.r.choice([1, 3, 5, 7, 8, 9, 17]), self.lanes))
        for _ in range(self.r.randint(1, 2)):
            self.statement()
        self.shared_is_read = False
        self.line("barrier();")

    def uniform_loop(self):
        """Writes a loop with barriers: steps of a scan or a reduction in shared memory."""
        if not self.shared:
            return
        name = self.name("i")
        self.line("for (uint %s = 1u; %s < %du; %s <<= 1) {" % (name, name, self.lanes, name))
        self.indent += 1
        other = self.name("v")
        self.line("%s %s = gl_LocalInvocationIndex >= %s ? shared_words[gl_LocalInvocationIndex - %s] : %s;"
                  % (self.shared, other, name, name, self.constant(self.shared, 1)))
        self.line("barrier();")
        self.line("shared_words[gl_LocalInvocationIndex] %s %s;" % (self.one_of("+=", "^=", "*="), other))
        self.line("barrier();")
        self.indent -= 1
        self.line("}")
        self.declare(self.shared, "shared_words[gl_LocalInvocationIndex]")
        self.line("barrier();")

    def subgroup(self):
        if not self.subgroups:
            return
        kind = self.r.choice(self.integers)
        value, r = self.value(kind), self.r
        base = "(gl_SubgroupInvocationID & ~7u)"
        operations = ["Add", "Min", "Max"] + ["And", "Or", "Xor", "Mul"]
        form = r.randrange(7)
        n = r.choice([2, 4, 8])
        if form == 0:
            text = "subgroupClustered%s(%s, %du)" % (r.choice(operations), value, n)
        elif form == 1:
            text = "subgroupShuffleXor(%s, %du)" % (value, r.randint(1, 7))
        elif form == 2:
            text = "subgroupShuffle(%s, %s + %s)" % (value, base, self.index(7))
        elif form == 3:
            text = "%s(%s)" % (r.choice(["subgroupQuadSwapHorizontal", "subgroupQuadSwapVertical",
                                         "subgroupQuadSwapDiagonal"]), value)
        elif form == 4:
            text = "subgroupQuadBroadcast(%s, %du)" % (value, r.randrange(4))
        elif form == 5:
            # Scans of groups of 8: the subgroup's scan minus its value before the group's first
            # lane.
            scan = self.declare(kind, "subgroupInclusiveAdd(%s)" % value)
            before = self.declare(kind, "subgroupShuffle(%s, %s)" % (scan, base))
            text = "(%s - %s)" % (scan, before)
            # Both variables depend on the subgroup size, so later expressions do not use them.
            self.scope.readable[kind] = [n for n in self.scope.readable[kind] if n not in (scan, before)]
            self.scope.writable[kind] = [n for n in self.scope.writable[kind] if n not in (scan, before)]
        else:
            ballot = "(subgroupBallot(%s)[gl_SubgroupInvocationID / 32u] >> (gl_SubgroupInvocationID & 24u))" \
                % self.condition(1)
            text = "%s(bitCount(%s & 255u))" % (kind, ballot)
        self.declare(kind, text)

    def total(self):
        """Sums over the workgroup by subgroups of any size."""
        if not self.subgroups or not self.shared:
            return
        self.line("{")
        self.indent += 1
        name = self.name("v")
        self.line("uint %s = subgroup%s(%s);" % (name, "Add", self.value("uint")))
        self.line("if (subgroupElect()) atomicAdd(shared_counters[6], %s);" % name)
        self.indent -= 1
        self.line("}")

    # ---- The whole ----

    def function(self):
        result = self.r.choice(self.integers)
        parameters = [(self.r.choice(self.integers), self.one_of("in", "in", "in", "inout", "out"))
                      for _ in range(self.r.randint(1, 3))] + [("uint", "in")]
        f = Function(self.name("f"), result, parameters)
        names = [self.name("p") for _ in parameters]
        self.line("%s %s(%s) {" % (result, f.name, ", ".join(
            "%s %s %s" % (d, k, n) for (k, d), n in zip(parameters, names))))
        self.indent += 1
        self.scope = Scope()
        self.scope.add("uint", names[-1])
        for (kind, direction), name in zip(parameters[:-1], names):
            if direction == "out":
                self.line("%s = %s;" % (name, self.literal(kind)))
            self.scope.add(kind, name)
        self.in_function, self.budget = result, 5
        self.loops = ["call"]    # calls lie in loops: fewer steps here
        for _ in range(self.r.randint(2, 5)):
            self.statement()
        self.line("return %s;" % self.expression(result, 2))
        self.in_function, self.loops = None, []
        self.indent -= 1
        self.line("}")
        self.line("")
        self.functions.append(f)

    def interface(self):
        self.line("layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;" % self.local)
        self.line("layout(push_constant) uniform Push { uint a; int b; uint c; int d; } push;")
        self.line("layout(std140, binding = 0) uniform Uniforms { uvec4 v[8]; } uniforms;")
        for n, kind in enumerate(["uint", "int8_t", "uint16_t", "int64_t"]):
            self.line("layout(std430, binding = %d) readonly buffer In%d { %s d[]; } in%d;" % (
                n + 1, n, kind, (32, 8, 16, 64)[n]))
        self.line("layout(std430, binding = 5) buffer Counters { uint d[16]; } counters;")
        for n, kind in enumerate(self.outputs):
            self.line("layout(std430, binding = %d) buffer Out%d { %s d[]; } out_%s;" % (
                6 + n, n, kind, kind))
        if self.shared:
            self.line("shared %s shared_words[%d];" % (self.shared, self.lanes))
            self.line("shared uint shared_counters[8];")
        self.line("struct Pair { int x; uint y; uint w[3]; };")
        self.line("")

    def main(self):
        self.line("void main() {")
        self.indent += 1
        self.scope = Scope()
        self.line("uint group = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * "
                  "gl_NumWorkGroups.x + gl_WorkGroupID.x;")
        self.line("uint me = group * %du + gl_LocalInvocationIndex;" % self.lanes)
        self.scope.add("uint", "me", writable=False)
        # Uses all parts of the job.
        self.declare("uint", "push.a ^ uniforms.v[1].x ^ in32.d[me & 63u] ^ uint(in8.d[1]) ^ "
                     "uint(in16.d[2]) ^ uint(in64.d[3])")
        self.line("atomicAdd(counters.d[15], v%d);" % self.names)
        if self.shared:
            self.line("if (gl_LocalInvocationIndex < 8u) shared_counters[gl_LocalInvocationIndex] = "
                      "gl_LocalInvocationIndex * 0x1234567u;")
            self.line("shared_words[gl_LocalInvocationIndex] = %s(me);" % self.shared)
            self.line("barrier();")
        for kind in self.integers:
            self.declare(kind, self.value(kind))
        self.shared_is_counted = self.shared is not None
        if self.seed % 6 == 1:
            self.keep()
        segments = [self.statement] * 6 + [self.share, self.uniform_loop, self.subgroup, self.subgroup,
                                           self.total, self.store_outputs]
        self.budget = self.r.choice([6, 12, 20])
        for _ in range(self.r.randint(4, 12)):
            self.r.choice(segments)()
        self.store_outputs()
        self.forget()
        self.digest()
        self.shared_is_counted = False
        if self.shared:
            self.line("barrier();")
            self.line("if (gl_LocalInvocationIndex < 8u) out_uint.d[me * %du + %du] = "
                      "shared_counters[gl_LocalInvocationIndex];" % (SLOTS, SLOTS - 1))
        # No barrier follows, so invocations may return.
        if self.r.random() < 0.5:
            self.line("if (%s) return;" % self.condition(1))
            self.subgroups = False
            for _ in range(2):
                self.statement()
            self.store_outputs()
        self.indent -= 1
        self.line("}")

    def program(self):
        self.line(HEAD.rstrip("\n"))
        self.interface()
        self.scope, self.hoist, self.hoisted = Scope(), False, []
        for _ in range(self.r.randint(0, 3)):
            self.function()
        self.main()
        return "\n".join(self.text) + "\n"

    def data(self, bits, count):
        r = self.r
        small = lambda: r.choice([0, 1, 2, 3, 7, (1 << bits) - 1, 1 << (bits - 1)])
        return b"".join((r.getrandbits(bits) if r.random() < 0.6 else small()).to_bytes(bits // 8, "little")
                        for _ in range(count)).hex()

    def job(self):
        invocations = self.lanes * self.groups[0] * self.groups[1] * self.groups[2]
        resources = [{"binding": 0, "data": {"hex": self.data(32, 32)}}]
        for n, bits in enumerate([32, 8, 16, 64]):
            resources.append({"binding": n + 1, "data": {"hex": self.data(bits, WORDS)}, "as": "hex"})
        resources.append({"binding": 5, "data": {"hex": self.data(32, 16)}, "as": "hex"})
        for n, kind in enumerate(self.outputs):
            size = INTEGERS[kind][0] // 8 * SLOTS * invocations
            resources.append({"binding": 6 + n, "data": {"hex": "5a" * ((size + 15) // 16 * 16)},
                              "as": "hex"})
        return {"entry": "main", "dispatch": list(self.groups),
                "push": {"hex": self.data(32, 4)}, "resources": resources}


def generate(seed):
    """Returns (text, job without "shader") of a seed."""
    g = Generator(seed)
    return g.program(), g.job()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("seed", type=int)
    p.add_argument("--job", action="store_true")
    a = p.parse_args()
    text, job = generate(a.seed)
    if a.job:
        json.dump(job, sys.stdout)
        print()
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
