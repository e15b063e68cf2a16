// A location of which one component is flat and others are interpolated.
#version 450
layout(location = 0, component = 0) in vec2 varying_part;
layout(location = 0, component = 2) flat in float flat_part;
layout(location = 0, component = 3) noperspective in float linear_part;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(varying_part * 2.0, flat_part + 1.0, linear_part * 3.0);
}
