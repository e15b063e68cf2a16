// As matmul_rows_32, from textures: four of a row or of a column a texel.
#version 450
layout(local_size_x = 128) in;

const uint ROWS = 32u, COLS = 128u, INNER = 8u, PER_ROW = 4u, PER_COL = 8u;

layout(push_constant) uniform Sizes { uint m, n, k; } sizes;
layout(binding = 0) uniform sampler2D a;                        // k / 4 x m
layout(binding = 1) uniform sampler2D b;                        // n / 4 x k
layout(std430, binding = 2) writeonly buffer C { vec4 c[]; };   // m x n / 4 rounded up

shared vec4 tile_a[ROWS][INNER / 4u];
shared vec4 tile_b[INNER][COLS / 4u];

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint row = gl_WorkGroupID.y * ROWS, col = gl_WorkGroupID.x * COLS / 4u;
  uint my_row = lane / 16u * PER_ROW, my_col = lane % 16u * 2u;
  vec4 sums[PER_ROW][2];
  for (uint i = 0u; i < PER_ROW; ++i) sums[i][0] = sums[i][1] = vec4(0.0);
  for (uint at = 0u; at < sizes.k; at += INNER) {
    for (uint t = lane; t < ROWS * INNER / 4u; t += 128u) {
      uint r = t / 2u, k = t % 2u;
      tile_a[r][k] = texelFetch(a, ivec2(at / 4u + k, row + r), 0);
    }
    for (uint t = lane; t < COLS * INNER / 4u; t += 128u) {
      uint k = t / 32u, x = t % 32u;
      tile_b[k][x] = texelFetch(b, ivec2(col + x, at + k), 0);
    }
    barrier();
    for (uint k = 0u; k < INNER; ++k) {
      vec4 right_0 = tile_b[k][my_col], right_1 = tile_b[k][my_col + 1u];
      for (uint i = 0u; i < PER_ROW; ++i) {
        float left = tile_a[my_row + i][k / 4u][k % 4u];
        sums[i][0] = fma(vec4(left), right_0, sums[i][0]);
        sums[i][1] = fma(vec4(left), right_1, sums[i][1]);
      }
    }
    barrier();
  }
  uint texels = (sizes.n + 3u) / 4u;
  for (uint i = 0u; i < PER_ROW; ++i) {
    uint r = row + my_row + i, x = col + my_col;
    if (r < sizes.m && x < texels) c[r * texels + x] = sums[i][0];
    if (r < sizes.m && x + 1u < texels) c[r * texels + x + 1u] = sums[i][1];
  }
}
