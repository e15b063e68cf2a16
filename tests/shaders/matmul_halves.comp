// Matrix product of halves in register tiles of 2 x 16 a lane, straight from buffers. Four loops share the
// tiles, and none of them alone frees them; sums are carried from round to round as 16 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 8, local_size_y = 2) in;

const uint ROWS = 2u, COLS = 4u, INNER = 4u;  // of a lane; columns of four

layout(push_constant) uniform Sizes { uint n, k; } sizes;          // n in fours
layout(std430, binding = 0) readonly buffer A { f16vec4 a[]; };    // rows x k / 4
layout(std430, binding = 1) readonly buffer B { f16vec4 b[]; };    // k x n
layout(std430, binding = 2) writeonly buffer C { f16vec4 c[]; };   // rows x n

void main() {
  uint row = gl_GlobalInvocationID.y * ROWS, col = gl_WorkGroupID.x * 8u * COLS + gl_LocalInvocationID.x;
  f16vec4 sums[ROWS][COLS], right[INNER][COLS];
  [[unroll]] for (uint i = 0u; i < ROWS; ++i)
    [[unroll]] for (uint j = 0u; j < COLS; ++j) sums[i][j] = f16vec4(0.0);
  for (uint k = 0u; k < sizes.k; k += INNER) {
    [[unroll]] for (uint j = 0u; j < COLS; ++j)
      [[unroll]] for (uint i = 0u; i < INNER; ++i) right[i][j] = b[(k + i) * sizes.n + col + j * 8u];
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
      f16vec4 left = a[(row + i) * (sizes.k / 4u) + k / 4u];
      [[unroll]] for (uint j = 0u; j < COLS; ++j) {
        sums[i][j] += left.x * right[0][j];
        sums[i][j] += left.y * right[1][j];
        sums[i][j] += left.z * right[2][j];
        sums[i][j] += left.w * right[3][j];
      }
    }
  }
  [[unroll]] for (uint i = 0u; i < ROWS; ++i)
    [[unroll]] for (uint j = 0u; j < COLS; ++j) c[(row + i) * sizes.n + col + j * 8u] = sums[i][j];
}
