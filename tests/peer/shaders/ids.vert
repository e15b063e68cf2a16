#version 450
#extension GL_ARB_shader_draw_parameters : require
// Nothing but the numbers of the draw, and no position: holes in the VUE.
layout(location = 3) in vec4 unread;
layout(location = 5) flat out ivec4 ids;
layout(location = 8) flat out int draw;

void main()
{
   ids = ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertexARB, gl_BaseInstanceARB);
   draw = gl_DrawIDARB + 7;
}
