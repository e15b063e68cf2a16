// Skinning: bones of a storage buffer, chosen and weighted by attributes.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in uvec4 bones;
layout(location = 2) in vec4 weights;
layout(set = 0, binding = 0) readonly buffer Bones { mat4 bone[]; };
layout(push_constant) uniform Push { mat4 view; };
layout(location = 0) out vec4 result;

void main() {
  mat4 skin = mat4(0.0);
  for (int i = 0; i < 4; ++i) skin += bone[bones[i] & 7u] * weights[i];
  result = skin[3];
  gl_Position = view * (skin * vec4(position, 1.0));
}
