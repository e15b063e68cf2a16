#include "core/front/spirv/spirv_variables.h"

#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

constexpr char kVariableTypes[] = R"(
    %1 = OpTypeInt 32 0
    %2 = OpTypePointer Workgroup %1
    %3 = OpConstant %1 7
)";

TEST(SpirvVariables, WhatAVariableIs) {
  const auto module = ParseSpirv(Assemble(std::string(kVariableTypes) + R"(
    %4 = OpVariable %2 Workgroup
    %5 = OpVariable %2 Workgroup %3
)"));
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->variables.size(), 2u);
  const SpirvVariable* plain = module->Variable(4);
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->id, 4u);
  EXPECT_EQ(plain->type, 2u);
  EXPECT_EQ(plain->pointee, 1u);
  EXPECT_EQ(plain->storage, spv::StorageClass::Workgroup);
  EXPECT_EQ(plain->initializer, 0u);
  EXPECT_EQ(module->Variable(5)->initializer, 3u);
  EXPECT_EQ(module->Def(4).type, 2u);
}

TEST(SpirvVariables, OfAPointerTypeAndOnce) {
  EXPECT_EQ(ReadError(std::string(kVariableTypes) + "%4 = OpVariable %1 Workgroup\n"),
            "variable's type is not a pointer type (%4)");
  EXPECT_EQ(ReadError(std::string(kVariableTypes) +
                      "%4 = OpVariable %2 Workgroup\n%4 = OpVariable %2 Workgroup\n"),
            "id defined twice (%4)");
}

}  // namespace
}  // namespace kiln::front
