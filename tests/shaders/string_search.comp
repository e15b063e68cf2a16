// Finds a pattern in text: loops whose trip counts differ by lane, values defined before a break
// and used after the loop, else-only work, a nested loop that is skipped by some lanes.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Text { uint text[]; };
layout(std430, binding = 1) readonly buffer Pattern { uint pattern[]; };
layout(std430, binding = 2) writeonly buffer Found { ivec4 found[]; };

void main() {
  int start = int(gl_GlobalInvocationID.x) * 16;
  int last = text.length() - pattern.length();
  int best_at = -1, best_length = 0, compared = 0;
  uint mismatch = 0u;
  for (int at = start; at < start + 16; ++at) {
    if (at > last) break;
    int matched = 0;
    uint seen = 0u;
    if (text[at] != pattern[0]) {
      ++compared;
    } else {
      for (matched = 1; matched < pattern.length(); ++matched) {
        seen = text[at + matched];
        ++compared;
        if (seen != pattern[matched]) break;
      }
    }
    if (matched > best_length) {
      best_length = matched;
      best_at = at;
      mismatch = seen;
      if (matched == pattern.length()) break;
    }
  }
  found[gl_GlobalInvocationID.x] = ivec4(best_at, best_length, int(mismatch), compared);
}
