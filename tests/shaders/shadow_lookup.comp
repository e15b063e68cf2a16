// Shadow maps: comparing samples of a flat map and a cube, a gather of comparisons and one of a
// colour component with four offsets, explicit gradients, a projected sample.
#version 450
layout(local_size_x = 64) in;

layout(binding = 0) uniform sampler2DShadow sun;
layout(binding = 1) uniform samplerCubeShadow lamp;
layout(binding = 2) uniform sampler2D cookie;
layout(std430, binding = 3) readonly buffer Points { vec4 points[]; };
layout(std430, binding = 4) writeonly buffer Light { vec4 light[]; };

const ivec2 kCross[4] = ivec2[](ivec2(-1, 0), ivec2(1, 0), ivec2(0, -1), ivec2(0, 1));

void main() {
  uint id = gl_GlobalInvocationID.x;
  if (id >= uint(points.length())) return;
  vec3 p = points[id].xyz;
  float lit = textureLod(sun, p, 0.0);
  vec4 around = textureGather(sun, p.xy, p.z);
  float lamp_lit = texture(lamp, vec4(p - 1.0, p.z));
  vec4 spots = textureGatherOffsets(cookie, p.xy, kCross, 1);
  vec4 colour = textureProjGrad(cookie, vec3(p.xy, 1.0 + p.z), vec2(0.25, 0.0), vec2(0.0, 0.125));
  light[id] = vec4(lit + lamp_lit, dot(around, vec4(0.25)), dot(spots, vec4(0.25)), colour.x);
}
