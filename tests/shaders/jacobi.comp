// Five-point stencil over a tile with a halo in shared memory: two-dimensional workgroups, loads at
// the edges under divergent conditions, a residual by atomic maximum on float bits.
#version 450
layout(local_size_x = 16, local_size_y = 8) in;

layout(push_constant) uniform Grid {
  ivec2 size;
  float omega;
} grid;

layout(std430, binding = 0) readonly buffer Before { float before[]; };
layout(std430, binding = 1) writeonly buffer After { float after[]; };
layout(std430, binding = 2) buffer Residual { uint residual_bits; };

shared float tile[10][18];

float cell(ivec2 at) {
  at = clamp(at, ivec2(0), grid.size - 1);
  return before[at.y * grid.size.x + at.x];
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 local = ivec2(gl_LocalInvocationID.xy) + 1;
  tile[local.y][local.x] = cell(at);
  if (local.x == 1) tile[local.y][0] = cell(at - ivec2(1, 0));
  if (local.x == 16) tile[local.y][17] = cell(at + ivec2(1, 0));
  if (local.y == 1) tile[0][local.x] = cell(at - ivec2(0, 1));
  if (local.y == 8) tile[9][local.x] = cell(at + ivec2(0, 1));
  memoryBarrierShared();
  barrier();
  if (any(greaterThanEqual(at, grid.size))) return;
  float old = tile[local.y][local.x];
  float mean = 0.25 * (tile[local.y][local.x - 1] + tile[local.y][local.x + 1] +
                       tile[local.y - 1][local.x] + tile[local.y + 1][local.x]);
  float fresh = mix(old, mean, grid.omega);
  after[at.y * grid.size.x + at.x] = fresh;
  // Non-negative floats order as their bits do.
  atomicMax(residual_bits, floatBitsToUint(abs(fresh - old)));
}
