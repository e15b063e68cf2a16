// Cubes sampled with explicit gradients, also in arrays, with a min LOD and against a reference; a
// flat shadow map with gradients and a min LOD; a cube sampled at the implicit LOD of quads of
// invocations.
#version 450
#extension GL_NV_compute_shader_derivatives : require
#extension GL_ARB_sparse_texture_clamp : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
layout(binding = 0) uniform samplerCube sky;
layout(binding = 1) uniform samplerCubeArray rooms;
layout(binding = 2) uniform samplerCubeShadow lamp;
layout(binding = 3) uniform sampler2DShadow sun;
layout(std430, binding = 4) buffer Out { vec4 results[]; };
layout(push_constant) uniform P { float scale; } p;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 on_face = (vec2(at & 15u) + 0.5) / 8.0 - 1.0;
  vec3 direction = at.x < 8u ? vec3(on_face, 1.25) : vec3(on_face.y, -0.75, on_face.x);
  vec3 dx = vec3(0.25, 0.0625, -0.125) * p.scale * float(1u + at.y);
  vec3 dy = vec3(0.0, 0.125, 0.25) * p.scale;
  vec4 sum = textureGrad(sky, direction, dx, dy);
  sum += textureGrad(rooms, vec4(direction, float(at.x & 1u)), dx.yzx, dy);
  sum += textureGradClampARB(sky, direction, dx * 0.125, dy * 0.125, float(at.y & 1u));
  float lit = textureGradClampARB(sun, vec3(on_face, 0.5), dx.xy * 0.125, dy.xy, float(at.y & 1u));
  lit += 2.0 * textureGrad(lamp, vec4(direction, 0.5), dx, dy);
  vec4 own = texture(sky, direction);
  results[(at.y * 16u + at.x) & 1023u] = sum + vec4(lit, own.xyz);
}
