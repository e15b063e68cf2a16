// The captures that tests/precompile writes for tests of the reader.
#ifndef KILN_CLIENT_CAPTURE_TESTING_H_
#define KILN_CLIENT_CAPTURE_TESTING_H_

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace kiln::client {

// Returns the path of a file that capture_forms.py writes.
inline std::string FormPath(const std::string& name) { return "tests/precompile/forms/" + name; }

inline std::string FormBytes(const std::string& name) {
  std::ifstream file(FormPath(name), std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Writes a file of the test's own; returns its path.
inline std::string TestFile(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_TESTING_H_
