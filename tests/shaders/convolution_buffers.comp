// Convolution as a matrix product with large register tiles: 16 output channels x 128 pixels a
// workgroup of 64, 4 x 8 a lane, 8 of channels times taps a round; divisions for where each is.
#version 450
layout(local_size_x = 64) in;

const uint ROWS = 16u, COLS = 128u, INNER = 8u, PER_ROW = 4u, PER_COL = 8u;

layout(push_constant) uniform Shape {
  uint channels, outputs, width, height, kernel_width, kernel_height, stride, pad;
} shape;
layout(std430, binding = 0) readonly buffer Weights { float weights[]; };
layout(std430, binding = 1) readonly buffer Pixels { float pixels[]; };
layout(std430, binding = 2) readonly buffer Bias { float bias[]; };
layout(std430, binding = 3) writeonly buffer Result { float result[]; };

shared float tile_w[INNER][ROWS];
shared float tile_p[INNER][COLS];

float pixel(uint k, uint at, uint columns) {
  uint taps = shape.kernel_width * shape.kernel_height;
  uint channel = k / taps, tap = k % taps;
  int x = int(at % columns * shape.stride + tap % shape.kernel_width) - int(shape.pad);
  int y = int(at / columns * shape.stride + tap / shape.kernel_width) - int(shape.pad);
  if (x < 0 || y < 0 || x >= int(shape.width) || y >= int(shape.height)) return 0.0;
  return pixels[(channel * shape.height + uint(y)) * shape.width + uint(x)];
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint columns = (shape.width + 2u * shape.pad - shape.kernel_width) / shape.stride + 1u;
  uint lines = (shape.height + 2u * shape.pad - shape.kernel_height) / shape.stride + 1u;
  uint inner = shape.channels * shape.kernel_width * shape.kernel_height;
  uint row = gl_WorkGroupID.y * ROWS, col = gl_WorkGroupID.x * COLS;
  uint my_row = lane / 16u * PER_ROW, my_col = lane % 16u * PER_COL;
  float sums[PER_ROW][PER_COL];
  for (uint i = 0u; i < PER_ROW; ++i)
    for (uint j = 0u; j < PER_COL; ++j) sums[i][j] = 0.0;
  for (uint at = 0u; at < inner; at += INNER) {
    for (uint t = lane; t < ROWS * INNER; t += 64u) {
      uint r = row + t / INNER, k = at + t % INNER;
      tile_w[t % INNER][t / INNER] = r < shape.outputs && k < inner ? weights[r * inner + k] : 0.0;
    }
    for (uint t = lane; t < COLS * INNER; t += 64u) {
      uint k = at + t / COLS, x = col + t % COLS;
      tile_p[t / COLS][t % COLS] = k < inner && x < columns * lines ? pixel(k, x, columns) : 0.0;
    }
    barrier();
    for (uint k = 0u; k < INNER; ++k) {
      float left[PER_ROW], right[PER_COL];
      for (uint i = 0u; i < PER_ROW; ++i) left[i] = tile_w[k][my_row + i];
      for (uint j = 0u; j < PER_COL; ++j) right[j] = tile_p[k][my_col + j];
      for (uint i = 0u; i < PER_ROW; ++i)
        for (uint j = 0u; j < PER_COL; ++j) sums[i][j] = fma(left[i], right[j], sums[i][j]);
    }
    barrier();
  }
  for (uint i = 0u; i < PER_ROW; ++i)
    for (uint j = 0u; j < PER_COL; ++j) {
      uint r = row + my_row + i, x = col + my_col + j;
      if (r < shape.outputs && x < columns * lines)
        result[r * columns * lines + x] = max(sums[i][j] + bias[r], 0.0);
    }
}
