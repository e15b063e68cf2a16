#!/usr/bin/env python3
"""Writes a GLSL shader under register pressure in a loop that lanes leave one by one.

    spilling.py comp|frag VALUES > FILE

VALUES unsigned integers live through the loop: 140 spill at 8 lanes and above in Mesa's compiler for Gen12, 70 at
16 and above. Lanes leave by two breaks and skip half of the body by a continue, at random: a spilled value of a lane
that has left must survive the stores of the others. All values are integers, so that every implementation gives the
same results.
"""

import sys

COMPUTE = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint d[]; } b;
void main() {
    uint id = gl_GlobalInvocationID.x;
    uint s = b.d[id];
%s    b.d[id] = r;
}
"""

FRAGMENT = """#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() {
    uint id = uint(gl_FragCoord.x) + 16u * uint(gl_FragCoord.y);
    uint s = id * 2654435761u + uint(v.x * 16.0);
%s    o = vec4(r & 255u, (r >> 8) & 255u, (r >> 16) & 255u, r >> 24) / 255.0;
}
"""


def body(n):
    lines = ["uint a%d = s * %du + %du;" % (i, 2 * i + 3, 7919 * i) for i in range(n)]
    lines += ["uint h = s;", "for (uint i = 0u; i < 48u; i++) {", "h = h * 1664525u + 1013904223u;",
              "if ((h >> 27) == 3u) break;"]
    lines += ["a%d = (a%d ^ (a%d + h)) + i;" % (i, (7 * i + 1) % n, i) for i in range(n)]
    lines += ["if ((h >> 26) == 5u) continue;"]
    lines += ["a%d += a%d >> 3;" % (i, (i + n // 2) % n) for i in range(0, n, 2)]
    lines += ["if ((h >> 27) == 9u) break;", "}", "uint r = 0u;"]
    lines += ["r = r * 31u + a%d;" % i for i in range(n)]
    return "".join("    %s\n" % line for line in lines)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("comp", "frag"):
        sys.exit(__doc__)
    sys.stdout.write((COMPUTE if sys.argv[1] == "comp" else FRAGMENT) % body(int(sys.argv[2])))


if __name__ == "__main__":
    main()
