// Compares the facts of each device with the tables of its generation.
#include "core/intel/device/device.h"

#include "core/intel/device/testing.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/opcodes.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::HasOpcode;
using isa::Message;
using isa::Opcode;

TEST(Devices, AgreeWithTheTables) {
  ASSERT_FALSE(Devices().empty());
  for (const Device* device : Devices()) {
    const Instructions& has = device->instructions;
    const isa::Generation gen = device->generation;
    EXPECT_EQ(has.rotate, HasOpcode(gen, Opcode::kRol)) << device->name;
    EXPECT_EQ(has.rotate, HasOpcode(gen, Opcode::kRor)) << device->name;
    EXPECT_EQ(has.dot4, HasOpcode(gen, Opcode::kDp4a)) << device->name;
    EXPECT_EQ(has.software_scoreboard, HasOpcode(gen, Opcode::kSync)) << device->name;
    EXPECT_NE(has.software_scoreboard, HasOpcode(gen, Opcode::kWait)) << device->name;
    EXPECT_EQ(has.half_floats, isa::LegalTypes(gen, Opcode::kMov, isa::Type::kF, isa::Type::kHF))
        << device->name;
    EXPECT_EQ(has.addresses, isa::Info(Message::kA64UntypedRead).first <= gen) << device->name;
  }
}

TEST(Devices, ATestsDeviceDiffersInOneFact) {
  const Device& device = TglBut(&Instructions::rotate);
  EXPECT_FALSE(device.instructions.rotate);
  EXPECT_TRUE(device.instructions.dot4);
  EXPECT_EQ(device.name, Tgl().name);
  EXPECT_TRUE(TglBut(&Instructions::dword_product).instructions.dword_product);
}

}  // namespace
}  // namespace kiln::intel
