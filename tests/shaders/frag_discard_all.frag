// A discard that no fragment survives, after a store.
#version 450
layout(location = 0) in vec2 at;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(location = 0) out vec4 color;

void main() {
  words[uint(gl_FragCoord.x)] = uint(gl_FragCoord.x) * 3u;
  color = vec4(at * 2.0, 0.0, 1.0);
  discard;
}
