#include "core/mid/memory/find_unchanging_buffers.h"

#include <string>

#include "core/base/pass.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// The unchanging ones of three buffers, as digits; the third has the second's binding.
std::string Unchanging(const std::string& body, const std::string& first_flags = "") {
  absl::StatusOr<mir::Module> m =
      mir::Parse("mir 1 local_size 8, 1, 1 shared 64 resource 0 ssbo 0.0.0" + first_flags +
                 " resource 1 ssbo 0.1.0 resource 2 ssbo 0.1.1 "
                 "resource 3 storage_texel_buffer 0.4.0 image buffer uint r32ui "
                 "private 0 64 body { %0:i32 = local_index " +
                 body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  const absl::StatusOr<bool> changed = FindUnchangingBuffers(*m, context);
  EXPECT_TRUE(changed.ok());
  EXPECT_TRUE(mir::Verify(*m).ok());
  std::string found;
  for (size_t i = 0; i < m->resources.size(); ++i) {
    if (m->resources[i].unchanging) found += static_cast<char>('0' + i);
  }
  EXPECT_EQ(*changed, !found.empty());
  // The flag is part of the text.
  const absl::StatusOr<mir::Module> again = mir::Parse(mir::Print(*m));
  EXPECT_TRUE(again.ok()) << again.status();
  for (size_t i = 0; i < m->resources.size(); ++i) {
    EXPECT_EQ(again->resources[i].unchanging, m->resources[i].unchanging);
    EXPECT_EQ(again->resources[i].aliased, m->resources[i].aliased);
  }
  return found;
}

TEST(FindUnchangingBuffers, BuffersWithoutWrites) {
  EXPECT_EQ(Unchanging(""), "012");
  EXPECT_EQ(Unchanging("store_ssbo[0, align 4] 0, 1"), "12");
  EXPECT_EQ(Unchanging("%1:i32 = ssbo_atomic[0, add] 0, 1"), "12");
  EXPECT_EQ(Unchanging("store_shared[align 4] 0, 1 store_private[0, align 4] 0, 1"), "012");
}

TEST(FindUnchangingBuffers, BuffersOfOneBindingMayBeOne) {
  EXPECT_EQ(Unchanging("store_ssbo[1, align 4] 0, 1"), "0");
}

TEST(FindUnchangingBuffers, AliasedBuffersMayBeAnyOther) {
  EXPECT_EQ(Unchanging("store_ssbo[0, align 4] 0, 1", " aliased"), "");
  EXPECT_EQ(Unchanging("store_ssbo[1, align 4] 0, 1", " aliased"), "");
  EXPECT_EQ(Unchanging("", " aliased"), "012");
}

TEST(FindUnchangingBuffers, WritesByAddressMayMeetEveryBuffer) {
  EXPECT_EQ(Unchanging("store_global[align 4] 0, 0, 1"), "");
  EXPECT_EQ(Unchanging("image_store[3, texel] 0, 1, 1, 1, 1"), "");
}

}  // namespace
}  // namespace kiln::mid
