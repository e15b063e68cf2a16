// Stores at the edges of triangles: helper lanes store nothing.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  uvec2 p = uvec2(gl_FragCoord.xy);
  float slope = dFdx(at.x * 4.0);
  words[p.x + p.y * 16u + 1u] = p.x * 3u + 7u;
  color = vec4(at + 1.0, slope, 1.0);
}
