// Two-dimensional convolution with a kernel from a uniform buffer: uniform loop bounds, uniform
// loads with a computed offset, clamped addresses, a separate path for the interior.
#version 450
layout(local_size_x = 16, local_size_y = 4) in;

layout(std140, binding = 0) uniform Kernel {
  ivec4 shape;  // image width, height, kernel radius
  vec4 taps[20];
} kernel;
layout(std430, binding = 1) readonly buffer Input { float pixels[]; };
layout(std430, binding = 2) writeonly buffer Output { float filtered[]; };

float tap(int n) { return kernel.taps[n >> 2][n & 3]; }

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = kernel.shape.xy;
  int radius = kernel.shape.z;
  if (at.x >= size.x || at.y >= size.y) return;
  bool interior = all(greaterThanEqual(at, ivec2(radius))) && all(lessThan(at, size - radius));
  float sum = 0.0;
  int n = 0;
  if (interior) {
    for (int dy = -radius; dy <= radius; ++dy) {
      for (int dx = -radius; dx <= radius; ++dx) {
        sum += tap(n++) * pixels[(at.y + dy) * size.x + at.x + dx];
      }
    }
  } else {
    for (int dy = -radius; dy <= radius; ++dy) {
      int y = clamp(at.y + dy, 0, size.y - 1);
      for (int dx = -radius; dx <= radius; ++dx) {
        sum += tap(n++) * pixels[y * size.x + clamp(at.x + dx, 0, size.x - 1)];
      }
    }
  }
  filtered[at.y * size.x + at.x] = sum;
}
