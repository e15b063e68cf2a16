"""Writes the operand table of SPIR-V's instructions from the grammar in its headers and from the rows
of newer instructions (spirv_newer.def).

Usage: spirv_grammar.py spirv.core.grammar.json spirv_newer.def OUT

Rows for spirv_grammar.cc, by number:

  OPCODE(number, name, operands, least)    least: minimum number of words, including the first
  PARAMETERS(kind, value, operands)        operands after an enumerant
  EXTENSION(name)                          an extension of the registry

Operands are letters, one for each, followed by ? (may be absent) or * (any number):

  t result type      i id                 l one literal word    s string
  r result           n number: the rest   x opcode of an OpSpecConstantOp, then its operands
  p literal and id   q id and literal     d two ids             (p: the literal is as wide as the selector)
  I L M E D          a mask or value with parameters: image operands, loop control, memory access,
                     execution mode, decoration
  A T                likewise: operands of tensor addressing, tensor operands
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spirv_enums

LETTERS = {
    "IdResultType": "t",
    "IdResult": "r",
    "LiteralString": "s",
    "LiteralContextDependentNumber": "n",
    "LiteralSpecConstantOpInteger": "x",
    "PairLiteralIntegerIdRef": "p",
    "PairIdRefLiteralInteger": "q",
    "PairIdRefIdRef": "d",
    "ImageOperands": "I",
    "LoopControl": "L",
    "MemoryAccess": "M",
    "ExecutionMode": "E",
    "Decoration": "D",
    "TensorAddressingOperands": "A",
    "TensorOperands": "T",
}
WORDS = {"p": 2, "q": 2, "d": 2}
# Extensions without enumerants, which the grammar therefore does not name.
WITHOUT_ENUMERANTS = [
    "SPV_AMD_gcn_shader",
    "SPV_AMD_gpu_shader_half_float",
    "SPV_AMD_gpu_shader_int16",
    "SPV_AMD_shader_trinary_minmax",
    "SPV_KHR_non_semantic_info",
    "SPV_VALIDATOR_ignore_type_decl_unique",
]


def read_grammar(path):
    """Returns the grammar's rows: {number: (name, operands)}, {(letter of the kind, value): operands},
    and the extensions."""
    with open(path) as f:
        grammar = json.load(f)
    kinds = {kind["kind"]: kind for kind in grammar["operand_kinds"]}

    def has_parameters(kind):
        return any(e.get("parameters") for e in kinds[kind].get("enumerants", []))

    def letter(kind):
        if kind in LETTERS:
            return LETTERS[kind]
        if kinds[kind]["category"] == "Id":
            return "i"
        # An unknown kind must not be mistaken for a plain word.
        assert kinds[kind]["category"] != "Composite" and not has_parameters(kind), kind
        return "l"

    def letters(operands):
        return "".join(letter(o["kind"]) + o.get("quantifier", "") for o in operands)

    opcodes = {}
    for inst in grammar["instructions"]:
        row = (inst["opname"], letters(inst.get("operands", [])))
        first = opcodes.setdefault(inst["opcode"], row)
        assert first[1] == row[1], row  # another name of the same opcode
    parameters = {}
    extensions = set(WITHOUT_ENUMERANTS)
    for inst in grammar["instructions"]:
        extensions.update(inst.get("extensions", []))
    for kind, of in kinds.items():
        for e in of.get("enumerants", []):
            extensions.update(e.get("extensions", []))
            if e.get("parameters"):
                row = letters(e["parameters"])
                first = parameters.setdefault((LETTERS[kind], int(str(e["value"]), 0)), row)
                assert first == row, e
    return opcodes, parameters, extensions


def add_newer(path, opcodes, parameters, extensions):
    """Adds the rows of spirv_newer.def that the grammar lacks."""
    with open(path) as f:
        rows = list(spirv_enums.rows(f.read()))
    for macro, a in rows:
        if macro == "INSTRUCTION":
            opcodes.setdefault(int(a[0]), (a[1], a[2]))
        elif macro == "EXTENSION":
            extensions.add(a[0])
        elif macro == "ENUMERANT" and a[3]:
            parameters.setdefault((LETTERS[a[0]], int(a[1], 0)), a[3])


def least(operands):
    """Returns the minimum number of words of an instruction with these operands, including the first."""
    followed = operands + " "
    return 1 + sum(WORDS.get(letter, 1) for i, letter in enumerate(operands)
                   if letter not in "?*" and followed[i + 1] not in "?*")


def main(grammar_path, newer_path, out_path):
    opcodes, parameters, extensions = read_grammar(grammar_path)
    add_newer(newer_path, opcodes, parameters, extensions)
    with open(out_path, "w") as f:
        f.write("// Made by core/front/grammar/spirv_grammar.py.\n")
        for number, (name, operands) in sorted(opcodes.items()):
            f.write('OPCODE(%d, "%s", "%s", %d)\n' % (number, name, operands, least(operands)))
        for (kind, value), operands in sorted(parameters.items()):
            f.write("PARAMETERS('%s', %d, \"%s\")\n" % (kind, value, operands))
        for name in sorted(extensions):
            f.write('EXTENSION("%s")\n' % name)


if __name__ == "__main__":
    main(*sys.argv[1:])
