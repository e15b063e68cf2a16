#version 450
// Inputs of each of several samples: its position, its number, the triangle's coverage.
layout(location = 0) sample in vec2 p;
layout(location = 0) out vec4 o0;
layout(location = 1) out uvec4 o1;

void main()
{
   o0 = vec4(p, gl_SamplePosition);
   o1 = uvec4(gl_SampleID, gl_SampleMaskIn[0], uint(gl_FragCoord.x * 16.0), uint(gl_FragCoord.y * 16.0));
}
