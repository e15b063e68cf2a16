#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// Every kind of output that a vertex shader has, from every kind of input.
layout(location = 0) in vec3 position;
layout(location = 1) in mat2 turn;                 // locations 1, 2
layout(location = 3) in uvec2 tags[2];             // locations 3, 4
layout(location = 5, component = 0) in float heat;
layout(location = 5, component = 2) in vec2 shift;
layout(location = 6) in ivec4 step;                // of the instance

struct Pair { vec3 v; int n; };
layout(location = 0) out mat3x2 m;                 // locations 0 to 2
layout(location = 3) flat out Pair pair;           // 3, 4
layout(location = 5) out vec3 list[2];             // 5, 6
layout(location = 7) out Block { vec2 b0; layout(location = 12) flat uvec3 b1; float b2; };
layout(location = 9, component = 0) out vec2 packed0;
layout(location = 9, component = 2) out vec2 packed1;
layout(location = 10) flat out ivec4 numbers;
layout(location = 11) out float never;
layout(push_constant) uniform P { float scale; } p;

out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[5]; float gl_CullDistance[2]; };

void main()
{
   gl_Position = vec4(position * p.scale, 0.0);    // outside of everything
   gl_PointSize = heat;
   for (int i = 0; i < 5; i++)
      gl_ClipDistance[i] = position.x - float(i);
   gl_CullDistance[0] = -1.0;
   gl_CullDistance[1] = position.y;
   gl_Layer = step.x;
   m = mat3x2(turn[0], turn[1], turn * shift);
   pair = Pair(position.zyx, step.y + gl_InstanceIndex);
   list[0] = position + 1.0;
   list[1] = vec3(heat, shift);
   b0 = shift.yx;
   b1 = uvec3(tags[0], tags[1].y);
   b2 = float(tags[1].x);
   packed0 = turn[1];
   packed1 = turn[0];
   numbers = ivec4(gl_VertexIndex, gl_InstanceIndex, step.zw);
}
