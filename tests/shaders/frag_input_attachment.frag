// An input attachment read at the fragment's position.
#version 450
layout(location = 0) in vec2 at;
layout(input_attachment_index = 0, binding = 0) uniform subpassInput there;
layout(location = 0) out vec4 color;

void main() {
  color = subpassLoad(there) * 2.0 + at.xyxy;
}
