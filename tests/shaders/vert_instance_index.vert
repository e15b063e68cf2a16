// Instances that read their own element of a buffer.
#version 450
layout(location = 0) in vec3 position;
layout(set = 0, binding = 0) readonly buffer Instances { vec4 places[]; };
layout(location = 0) out vec4 result;

void main() {
  vec4 place = places[gl_InstanceIndex];
  result = vec4(float(gl_InstanceIndex));
  gl_Position = vec4(position * place.w + place.xyz, 1.0);
}
