// Inputs at the centroid, with perspective and without.
#version 450
layout(location = 0) centroid in vec2 a;
layout(location = 1) centroid noperspective in vec2 b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a * 2.0, b + a);
}
