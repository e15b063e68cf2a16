// The mask of samples that passed the tests.
#version 450
#extension GL_EXT_post_depth_coverage : require
layout(early_fragment_tests) in;
layout(post_depth_coverage) in;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(float(gl_SampleMaskIn[0] * 3), at * 2.0, 1.0);
}
