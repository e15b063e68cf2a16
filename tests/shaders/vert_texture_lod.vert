// Displacement by a texture, at an explicit LOD.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform sampler2D heights;
layout(location = 0) out vec4 result;

void main() {
  float height = textureLod(heights, uv, 0.0).x;
  result = texture(heights, uv * 0.5);
  gl_Position = vec4(position + vec3(0.0, height, 0.0), 1.0);
}
