// Images sampled at the implicit LOD, fetched, and with separate samplers, chosen by values that
// differ between the fragments of a quad.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(set = 0, binding = 0) uniform sampler2D pictures[4];
layout(set = 0, binding = 1) uniform texture2D images[2];
layout(set = 0, binding = 2) uniform sampler samplers[2];
layout(location = 0) out vec4 color;

void main() {
  uint which = uint(gl_FragCoord.x) & 3u;
  vec2 place = gl_FragCoord.xy * 0.0625;
  vec4 sampled = texture(pictures[nonuniformEXT(which)], place);
  vec4 fetched = texelFetch(pictures[nonuniformEXT(which ^ 2u)], ivec2(0), 0);
  vec4 parts = textureLod(sampler2D(images[nonuniformEXT(which & 1u)], samplers[nonuniformEXT(which >> 1)]), place, 0.0);
  color = sampled * 2.0 + fetched + parts + at.xyxy;
}
