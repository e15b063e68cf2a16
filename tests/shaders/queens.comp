// Counts solutions of the queens puzzle by backtracking without recursion: private arrays with
// dynamic index, nested loops, break and continue in both.
#version 450
layout(local_size_x = 16) in;
layout(constant_id = 0) const int kQueens = 6;

layout(std430, binding = 0) buffer Counts { uint counts[]; };

void main() {
  int column_of[8];
  int first = int(gl_GlobalInvocationID.x);
  if (first >= kQueens) return;
  column_of[0] = first;
  for (int i = 1; i < 8; ++i) column_of[i] = -1;
  uint found = 0u;
  int row = 1;
  while (row > 0) {
    if (row == kQueens) {
      ++found;
      --row;
      continue;
    }
    bool placed = false;
    for (int column = column_of[row] + 1; column < kQueens; ++column) {
      bool attacked = false;
      for (int above = 0; above < row; ++above) {
        int distance = column - column_of[above];
        if (distance != 0 && abs(distance) != row - above) continue;
        attacked = true;
        break;
      }
      if (attacked) continue;
      column_of[row] = column;
      placed = true;
      break;
    }
    if (placed) {
      ++row;
    } else {
      column_of[row] = -1;
      --row;
    }
  }
  counts[first] = found;
}
