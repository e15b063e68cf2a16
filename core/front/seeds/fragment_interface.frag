// Inputs and outputs of all shapes: for the fuzzer of the importer.
#version 460
#extension GL_ARB_shader_stencil_export : enable
layout(early_fragment_tests) in;
layout(depth_greater) out float gl_FragDepth;
struct Light {
  vec3 place;
  float range;
};
layout(location = 0) in Surface {
  vec3 normal;
  noperspective vec2 at;
  flat int kind;
} surface;
layout(location = 3) in vec4 colors[3];
layout(location = 6) centroid in mat3 frame;
layout(location = 9) sample in float edge;
layout(location = 10, component = 1) in vec2 shifted;
layout(location = 11) in Light lights[2];
in float gl_ClipDistance[2];
layout(location = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 factor;
layout(location = 1) out vec2 parts[2];
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
layout(set = 0, binding = 1) uniform sampler2DArray textures;

void main() {
  vec3 n = frame * surface.normal;
  color = colors[surface.kind] + subpassLoad(before);
  color.xy += interpolateAtOffset(shifted, vec2(0.25, -0.25)) + interpolateAtCentroid(surface.at);
  color.z += interpolateAtSample(colors[surface.kind].x, gl_SampleID) + lights[1].range;
  color.w = textureQueryLod(textures, surface.at).y + frame[surface.kind][1] + edge;
  factor = texture(textures, vec3(surface.at, n.z), 0.5) * gl_FragCoord;
  parts[surface.kind & 1] = dFdx(n.xy) + gl_PointCoord + gl_SamplePosition;
  if (gl_FrontFacing && gl_ClipDistance[surface.kind & 1] > 0.0) {
    gl_FragDepth = gl_FragCoord.z + lights[0].place.x;
  } else {
    gl_FragDepth = float(gl_PrimitiveID + gl_Layer + gl_ViewportIndex);
  }
  gl_SampleMask[0] = gl_SampleMaskIn[0] & 5;
  gl_FragStencilRefARB = surface.kind;
}
