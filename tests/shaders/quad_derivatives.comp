// Derivatives in a compute shader: a group of 2x2 quads, coarse and fine ones, widths, and textures
// sampled at implicit LODs.
#version 450
#extension GL_NV_compute_shader_derivatives : require

layout(local_size_x = 8, local_size_y = 4) in;
layout(derivative_group_quadsNV) in;
layout(binding = 0) uniform sampler2D image;
layout(std430, binding = 1) buffer Out { vec4 results[]; };
layout(push_constant) uniform P { float scale; } p;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 uv = (vec2(at) + 0.5) * p.scale / vec2(64.0, 32.0);
  float f = uv.x * uv.x + 3.0 * uv.y;
  vec4 texel = texture(image, uv);
  results[(at.y * 16u + at.x) & 1023u] = vec4(dFdx(f), dFdyFine(f), fwidth(f), texel.x + texel.w);
}
