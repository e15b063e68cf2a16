// Fetches of texels: of levels, with an offset, of layers, volumes and buffers.
#version 450
layout(location = 0) in vec4 at;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform sampler3D volume;
layout(binding = 3) uniform samplerBuffer table;
layout(location = 0) out vec4 color;

void main() {
  color = texelFetch(image, ivec2(gl_FragCoord.xy) & 3, 0) + texelFetchOffset(image, ivec2(gl_FragCoord.xy) & 3, 0, ivec2(1, 2)) + texelFetch(layers, ivec3(gl_FragCoord.yx, 1) & 1, 0) + texelFetch(volume, ivec3(gl_FragCoord.xyx) & 7, 0) + texelFetch(table, int(gl_FragCoord.x) * 3) + 0.25 * at.xyxy;
}
