"""Writes the operand table of SPIR-V's instructions from the grammar that its headers come with.

Usage: spirv_grammar.py spirv.core.grammar.json OUT

Rows for spirv_grammar.cc, by number:

  OPCODE(number, name, operands, least)    least: the fewest words, with the first
  PARAMETERS(kind, value, operands)        what follows an enumerant

Operands are letters, one for each, with ? (may be absent) and * (any number) behind:

  t result type      i id                 l one literal word    s string
  r result           n number: the rest   x opcode of an OpSpecConstantOp, then its operands
  p literal and id   q id and literal     d two ids             (p: the literal is as wide as the selector)
  I L M E D          a mask or value with parameters: image operands, loop control, memory access,
                     execution mode, decoration
"""

import json
import sys

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
}
WORDS = {"p": 2, "q": 2, "d": 2}


def main(grammar_path, out_path):
    with open(grammar_path) as f:
        grammar = json.load(f)
    kinds = {kind["kind"]: kind for kind in grammar["operand_kinds"]}

    def has_parameters(kind):
        return any(e.get("parameters") for e in kinds[kind].get("enumerants", []))

    def letter(kind):
        if kind in LETTERS:
            return LETTERS[kind]
        if kinds[kind]["category"] == "Id":
            return "i"
        # A kind that this table does not know may not be taken for a plain word.
        assert kinds[kind]["category"] != "Composite" and not has_parameters(kind), kind
        return "l"

    def letters(operands):
        return "".join(letter(o["kind"]) + o.get("quantifier", "") for o in operands)

    def least(operands):
        return 1 + sum(WORDS.get(letter(o["kind"]), 1) for o in operands if "quantifier" not in o)

    lines = ["// Made by core/front/spirv_grammar.py.\n"]
    seen = {}
    for inst in sorted(grammar["instructions"], key=lambda i: i["opcode"]):
        operands = inst.get("operands", [])
        shape = (letters(operands), least(operands))
        if inst["opcode"] in seen:  # another name of the same
            assert seen[inst["opcode"]] == shape, inst["opname"]
            continue
        seen[inst["opcode"]] = shape
        lines.append('OPCODE(%d, "%s", "%s", %d)\n' % (inst["opcode"], inst["opname"], *shape))
    rows = set()
    for kind, of in kinds.items():
        for e in of.get("enumerants", []):
            if e.get("parameters"):
                rows.add((LETTERS[kind], int(str(e["value"]), 0), letters(e["parameters"])))
    assert len(rows) == len({row[:2] for row in rows})
    lines += ["PARAMETERS('%s', %d, \"%s\")\n" % row for row in sorted(rows)]
    with open(out_path, "w") as f:
        f.writelines(lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
