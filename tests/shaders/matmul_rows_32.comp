// Matrix product with large register tiles: 32 x 128 outputs a workgroup of 128, 4 x 8 a lane, 8 of
// the inner dimension a round, from buffers through shared memory.
#version 450
layout(local_size_x = 128) in;

const uint ROWS = 32u, COLS = 128u, INNER = 8u, PER_ROW = 4u, PER_COL = 8u;

layout(push_constant) uniform Sizes { uint m, n, k; } sizes;
layout(std430, binding = 0) readonly buffer A { float a[]; };   // m x k
layout(std430, binding = 1) readonly buffer B { float b[]; };   // k x n
layout(std430, binding = 2) writeonly buffer C { float c[]; };  // m x n

shared float tile_a[INNER][ROWS];
shared float tile_b[INNER][COLS];

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint row = gl_WorkGroupID.y * ROWS, col = gl_WorkGroupID.x * COLS;
  uint my_row = lane / (COLS / PER_COL) * PER_ROW, my_col = lane % (COLS / PER_COL);
  float sums[PER_ROW][PER_COL];
  for (uint i = 0u; i < PER_ROW; ++i)
    for (uint j = 0u; j < PER_COL; ++j) sums[i][j] = 0.0;
  for (uint at = 0u; at < sizes.k; at += INNER) {
    for (uint t = lane; t < ROWS * INNER; t += 128u) {
      uint r = row + t / INNER, k = at + t % INNER;
      tile_a[t % INNER][t / INNER] = r < sizes.m && k < sizes.k ? a[r * sizes.k + k] : 0.0;
    }
    for (uint t = lane; t < COLS * INNER; t += 128u) {
      uint k = at + t / COLS, x = col + t % COLS;
      tile_b[t / COLS][t % COLS] = k < sizes.k && x < sizes.n ? b[k * sizes.n + x] : 0.0;
    }
    barrier();
    for (uint k = 0u; k < INNER; ++k) {
      float left[PER_ROW], right[PER_COL];
      for (uint i = 0u; i < PER_ROW; ++i) left[i] = tile_a[k][my_row + i];
      for (uint j = 0u; j < PER_COL; ++j) right[j] = tile_b[k][my_col + j * (COLS / PER_COL)];
      for (uint i = 0u; i < PER_ROW; ++i)
        for (uint j = 0u; j < PER_COL; ++j) sums[i][j] = fma(left[i], right[j], sums[i][j]);
    }
    barrier();
  }
  for (uint i = 0u; i < PER_ROW; ++i)
    for (uint j = 0u; j < PER_COL; ++j) {
      uint r = row + my_row + i, x = col + my_col + j * (COLS / PER_COL);
      if (r < sizes.m && x < sizes.n) c[r * sizes.n + x] = sums[i][j];
    }
}
