// Diffuse light from above.
#version 450
layout(location = 0) in vec3 world_normal;
layout(location = 0) out vec4 colour;

void main() {
  float light = max(dot(normalize(world_normal), vec3(0.0, 1.0, 0.0)), 0.1);
  colour = vec4(vec3(light), 1.0);
}
