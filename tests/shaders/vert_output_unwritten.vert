// Components and outputs that no path writes are undefined.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 some;
layout(location = 1) out vec4 none;

void main() {
  some.y = value.x * 3.0;
  gl_Position = value;
}
