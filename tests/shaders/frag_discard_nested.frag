// Discards in nested branches and in a function that is called there.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void drop(int y) {
  if (y % 3 == 0) discard;
}

void main() {
  uvec2 p = uvec2(gl_FragCoord.xy);
  if ((p.x & 1u) == 0u) {
    if ((p.y & 2u) == 0u) discard;
    color = vec4(at * 2.0, 0.0, 1.0);
  } else {
    drop(int(p.y));
    color = vec4(at * 3.0, 1.0, 1.0);
  }
}
