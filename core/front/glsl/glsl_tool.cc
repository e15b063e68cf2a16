// glsl_tool SHADER OUTPUT: compiles a GLSL file to SPIR-V (stage by the file name). For making test
// inputs; use the `kiln` command for everything else.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "core/front/glsl/glsl.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: glsl_tool SHADER OUTPUT\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  kiln::front::GlslSource source;
  source.name = argv[1];
  source.text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  const auto stage = kiln::front::GlslStageOfName(source.name);
  if (!in || !stage.ok()) {
    std::fprintf(stderr, "%s: cannot be read, or its name has no ending of a shader stage\n",
                 argv[1]);
    return 2;
  }
  source.stage = *stage;
  const auto words = kiln::front::CompileGlsl(source);
  if (!words.ok()) {
    std::fprintf(stderr, "%s\n", std::string(words.status().message()).c_str());
    return 1;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(words->data()),
            static_cast<std::streamsize>(words->size() * 4));
  return out.good() ? 0 : 1;
}
