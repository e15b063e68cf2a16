// Texels of an image and of a buffer by whole coordinates.
#version 450
layout(location = 0) in vec4 position;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform samplerBuffer texels;
layout(location = 0) out vec4 result;

void main() {
  result = texelFetch(image, ivec2(gl_VertexIndex & 7, gl_InstanceIndex & 7), 0);
  gl_Position = position + texelFetch(texels, gl_VertexIndex & 15);
}
