// Matrix product with large register tiles: 32 x 128 outputs a workgroup of 64, 8 x 8 a lane, 8 of the
// inner dimension a round, from buffers through shared memory. The loops that write the tile out are
// long, and are all that indexes it by anything unknown.
#version 450
layout(local_size_x = 16, local_size_y = 4) in;

const uint ROWS = 32u, COLS = 128u, INNER = 8u, TILE = 8u, LANES = 64u;

layout(push_constant) uniform Sizes { uint m, n, k; } sizes;
layout(std430, binding = 0) readonly buffer A { float a[]; };   // m x k
layout(std430, binding = 1) readonly buffer B { float b[]; };   // k x n
layout(std430, binding = 2) writeonly buffer C { float c[]; };  // m x n

shared float tile_a[INNER][ROWS];
shared float tile_b[INNER][COLS];

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint row = gl_WorkGroupID.y * ROWS, col = gl_WorkGroupID.x * COLS;
  uint my_row = gl_LocalInvocationID.y * TILE, my_col = gl_LocalInvocationID.x * TILE;
  float sums[TILE][TILE];
  for (uint i = 0u; i < TILE; ++i)
    for (uint j = 0u; j < TILE; ++j) sums[i][j] = 0.0;
  for (uint at = 0u; at < sizes.k; at += INNER) {
    for (uint t = lane; t < ROWS * INNER; t += LANES) {
      uint r = row + t / INNER, k = at + t % INNER;
      tile_a[t % INNER][t / INNER] = r < sizes.m && k < sizes.k ? a[r * sizes.k + k] : 0.0;
    }
    for (uint t = lane; t < COLS * INNER; t += LANES) {
      uint k = at + t / COLS, x = col + t % COLS;
      tile_b[t / COLS][t % COLS] = k < sizes.k && x < sizes.n ? b[k * sizes.n + x] : 0.0;
    }
    barrier();
    for (uint k = 0u; k < INNER; ++k) {
      float left[TILE], right[TILE];
      for (uint i = 0u; i < TILE; ++i) left[i] = tile_a[k][my_row + i];
      for (uint j = 0u; j < TILE; ++j) right[j] = tile_b[k][my_col + j];
      for (uint i = 0u; i < TILE; ++i)
        for (uint j = 0u; j < TILE; ++j) sums[i][j] = fma(left[i], right[j], sums[i][j]);
    }
    barrier();
  }
  for (uint i = 0u; i < TILE; ++i) {
    for (uint j = 0u; j < TILE; ++j) {
      uint r = row + my_row + i, x = col + my_col + j;
      if (r < sizes.m && x < sizes.n) c[r * sizes.n + x] = sums[i][j];
    }
  }
}
