// Matrix product with tiles in shared memory; each lane keeps a 2x2 block in a private array that
// is only indexed by constants after unrolling.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;

layout(push_constant) uniform Size {
  uint rows;
  uint columns;
  uint inner;
} size;

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

const uint kTile = 16u;
shared float tile_a[kTile][kTile];
shared float tile_b[kTile][kTile];

void load_tiles(uvec2 lane, uint row0, uint column0, uint k0) {
  for (uint y = lane.y; y < kTile; y += 8u) {
    for (uint x = lane.x; x < kTile; x += 8u) {
      uint row = row0 + y, column = column0 + x;
      tile_a[y][x] = row < size.rows && k0 + x < size.inner ? a[row * size.inner + k0 + x] : 0.0;
      tile_b[y][x] =
          column < size.columns && k0 + y < size.inner ? b[(k0 + y) * size.columns + column] : 0.0;
    }
  }
}

void main() {
  uvec2 lane = gl_LocalInvocationID.xy;
  uint row0 = gl_WorkGroupID.y * kTile, column0 = gl_WorkGroupID.x * kTile;
  float sum[2][2] = float[2][2](float[2](0.0, 0.0), float[2](0.0, 0.0));
  for (uint k0 = 0u; k0 < size.inner; k0 += kTile) {
    load_tiles(lane, row0, column0, k0);
    barrier();
    for (uint k = 0u; k < kTile; ++k) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          sum[i][j] += tile_a[lane.y * 2u + uint(i)][k] * tile_b[k][lane.x * 2u + uint(j)];
        }
      }
    }
    barrier();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      uint row = row0 + lane.y * 2u + uint(i), column = column0 + lane.x * 2u + uint(j);
      if (row < size.rows && column < size.columns) c[row * size.columns + column] = sum[i][j];
    }
  }
}
