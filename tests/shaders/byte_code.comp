// A stack machine: a switch with fallthrough and default inside a loop, continue and break from
// within it, and a private array indexed dynamically.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Program { uint program[]; };
layout(std430, binding = 1) readonly buffer Inputs { int inputs[]; };
layout(std430, binding = 2) writeonly buffer Outputs { int outputs[]; };

void main() {
  uint lane = gl_GlobalInvocationID.x;
  int stack[16];
  for (int i = 0; i < 16; ++i) stack[i] = 0;
  int top = 0;
  uint pc = 0u;
  bool halted = false;
  for (int steps = 0; steps < 1000 && !halted; ++steps) {
    if (pc >= uint(program.length())) break;
    uint word = program[pc++];
    int operand = int(word) >> 8;
    switch (word & 0xffu) {
      case 0u:  // halt
        halted = true;
        break;
      case 1u:  // push an input
        operand = inputs[lane * 4u + (uint(operand) & 3u)];
      // fallthrough
      case 2u:  // push
        stack[top & 15] = operand;
        top++;
        break;
      case 3u:  // subtract is negate and add
        stack[(top - 1) & 15] = -stack[(top - 1) & 15];
      // fallthrough
      case 4u:
        stack[(top - 2) & 15] += stack[(top - 1) & 15];
        top--;
        break;
      case 5u:
        stack[(top - 2) & 15] *= stack[(top - 1) & 15];
        top--;
        break;
      case 6u:  // jump if not zero
        top--;
        if (stack[top & 15] == 0) continue;
        pc = uint(operand);
        break;
      case 7u:
      case 8u:  // duplicate
        stack[top & 15] = stack[(top - 1) & 15];
        top++;
        break;
      default:
        outputs[lane] = -1;
        return;
    }
  }
  outputs[lane] = stack[(top - 1) & 15];
}
