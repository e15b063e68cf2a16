// Each view covers another half or quarter: the number of the view is in the position.
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec2 corner;
layout(location = 0) flat out int seen;
void main()
{
   seen = 100 * gl_InstanceIndex + gl_ViewIndex;
   gl_Position = vec4(corner.x, corner.y + float(gl_ViewIndex) / 4, 0, 1);
}
