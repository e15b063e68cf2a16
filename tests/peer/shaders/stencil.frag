#version 450
#extension GL_ARB_shader_stencil_export : require
// A stencil value for each pixel, and a mask of samples.
layout(location = 0) out vec4 color;

void main()
{
   ivec2 at = ivec2(gl_FragCoord.xy);
   gl_FragStencilRefARB = 3 + 5 * at.x + 40 * at.y;
   gl_SampleMask[0] = 1 + at.x + 8 * at.y;
   color = vec4(gl_FragCoord.xy, 0.25, 1.0);
}
