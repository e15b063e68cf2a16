// The number of the view in both stages.
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) flat in int seen;
layout(location = 0) out ivec4 colour;
void main()
{
   colour = ivec4(gl_ViewIndex, seen, gl_FragCoord.y, 1);
}
