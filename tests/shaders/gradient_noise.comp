// Fractal gradient noise: integer hashing, floor and fract, mix, swizzles, a loop of octaves that
// is uniform over the dispatch.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;

layout(push_constant) uniform Noise {
  uint seed;
  int octaves;
  float frequency;
  uint width;
} noise_;

layout(std430, binding = 0) writeonly buffer Image { float image[]; };

uint hash(uvec3 p) {
  uint h = p.x * 0x9e3779b1u ^ p.y * 0x85ebca77u ^ p.z * 0xc2b2ae3du ^ noise_.seed;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ (h >> 15);
}

float gradient(ivec3 corner, vec3 offset) {
  uint h = hash(uvec3(corner)) & 15u;
  float u = h < 8u ? offset.x : offset.y;
  float v = h < 4u ? offset.y : (h == 12u || h == 14u ? offset.x : offset.z);
  return ((h & 1u) == 0u ? u : -u) + ((h & 2u) == 0u ? v : -v);
}

float noise_at(vec3 p) {
  vec3 cell = floor(p);
  ivec3 c = ivec3(cell);
  vec3 f = p - cell;
  vec3 w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  vec4 near, far;
  near.x = gradient(c, f);
  near.y = gradient(c + ivec3(1, 0, 0), f - vec3(1, 0, 0));
  near.z = gradient(c + ivec3(0, 1, 0), f - vec3(0, 1, 0));
  near.w = gradient(c + ivec3(1, 1, 0), f - vec3(1, 1, 0));
  far.x = gradient(c + ivec3(0, 0, 1), f - vec3(0, 0, 1));
  far.y = gradient(c + ivec3(1, 0, 1), f - vec3(1, 0, 1));
  far.z = gradient(c + ivec3(0, 1, 1), f - vec3(0, 1, 1));
  far.w = gradient(c + 1, f - 1.0);
  vec4 z = mix(near, far, w.z);
  vec2 y = mix(z.xy, z.zw, w.y);
  return mix(y.x, y.y, w.x);
}

void main() {
  uvec2 pixel = gl_GlobalInvocationID.xy;
  vec3 p = vec3(vec2(pixel) * noise_.frequency, 0.5);
  float sum = 0.0, amplitude = 0.5;
  for (int octave = 0; octave < noise_.octaves; ++octave) {
    sum += amplitude * noise_at(p);
    p = p.yzx * 2.0 + vec3(17.0, 31.0, 7.0);
    amplitude *= 0.5;
  }
  image[pixel.y * noise_.width + pixel.x] = 0.5 + 0.5 * sum;
}
