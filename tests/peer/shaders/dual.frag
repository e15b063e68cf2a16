#version 450
// Two sources for blending.
layout(location = 0) in vec4 a;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;

void main()
{
   first = a * 2.0;
   second = vec4(a.w, a.z - 300.0, 1.0 / 3.0, a.x);
}
