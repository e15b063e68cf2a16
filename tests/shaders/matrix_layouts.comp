// Row-major and column-major matrices in uniform and storage blocks, with dynamically chosen
// columns, rows and components.
#version 450
layout(local_size_x = 32) in;

layout(std140, binding = 0) uniform Uniforms {
  layout(row_major) mat4 by_rows;
  layout(column_major) mat4 by_columns;
  layout(row_major) mat2x3 narrow[2];
  mat3 plain;
} u;

layout(std430, binding = 1) buffer Matrices {
  layout(row_major) mat3 rows[4];
  mat2x4 columns[];
} m;
layout(std430, binding = 2) buffer Vectors { vec4 vectors[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(vectors.length())) return;
  vec4 v = vectors[i];
  uint pick = i & 3u;
  vec4 sum = u.by_rows * v + v * u.by_columns + u.by_rows[pick] * u.by_columns[pick][i % 3u];
  sum.xyz += u.narrow[i & 1u] * v.xy + m.rows[pick] * v.yzw + u.plain[i % 3u];
  uint slot = i % uint(m.columns.length());
  sum += m.columns[slot] * v.zw;
  vectors[i] = sum;
  if (i < 4u) m.rows[i][1] = sum.xyz;
  else m.columns[slot][i & 1u][pick] = sum.w;
}
