// Outputs in a block with locations of its own.
#version 450
layout(location = 0) in vec4 value;
layout(location = 2) out Surface {
  vec3 normal;
  vec2 uv;
  layout(location = 7) vec4 colour;
} surface;

void main() {
  surface.normal = normalize(value.xyz);
  surface.uv = value.xy * 0.5 + 0.5;
  surface.colour = value.wzyx;
  gl_Position = value;
}
