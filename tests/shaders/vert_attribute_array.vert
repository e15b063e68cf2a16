// An array of attributes, of which elements are chosen by constants and by value.
#version 450
layout(location = 0) in vec3 targets[4];
layout(location = 4) in int chosen;
layout(location = 5) in float weight;
layout(location = 0) out vec4 result;

void main() {
  result = vec4(targets[chosen & 3], weight);
  gl_Position = vec4(mix(targets[0], targets[3], weight), 1.0);
}
