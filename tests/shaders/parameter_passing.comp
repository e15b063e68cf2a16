// Function calls: in, out and inout parameters of scalars, vectors, structs and arrays, copied in
// and out as the language says; functions that call functions.
#version 450
layout(local_size_x = 32) in;

struct Span {
  int low;
  int high;
  ivec2 visits;
};

layout(std430, binding = 0) buffer Data { int data[]; };
layout(std430, binding = 1) writeonly buffer Spans { Span spans[]; };

void order(inout int a, inout int b) {
  int smaller = min(a, b);
  b = max(a, b);
  a = smaller;
}

// Changes its copy of c, which the caller must not see.
int swap_and_add(inout int a, inout int b, in int c) {
  int old = a;
  a = b + c;
  b = old - c;
  c = a * b;
  return c;
}

void sort4(inout int v[4]) {
  order(v[0], v[1]);
  order(v[2], v[3]);
  order(v[0], v[2]);
  order(v[1], v[3]);
  order(v[1], v[2]);
}

void summarise(const int v[4], out Span span) {
  span.low = v[0];
  span.high = v[3];
  span.visits = ivec2(0);
  for (int i = 0; i < 4; ++i) {
    if (v[i] < 0) span.visits.x++;
    else span.visits.y++;
  }
}

void widen(inout Span span, ivec2 by) {
  span.low -= by.x;
  span.high += by.y;
  order(span.low, span.high);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  int v[4] = int[4](data[4u * i], data[4u * i + 1u], data[4u * i + 2u], data[4u * i + 3u]);
  sort4(v);
  Span span;
  summarise(v, span);
  widen(span, span.visits.yx);
  int extra = 3;
  span.visits.x += swap_and_add(v[0], v[3], extra);
  span.visits.y += swap_and_add(span.visits.x, v[1], extra);
  for (int k = 0; k < 4; ++k) data[4u * i + uint(k)] = v[k];
  spans[i] = span;
}
