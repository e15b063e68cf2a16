#include "core/intel/messages/testing.h"

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel::testing {
namespace {

using isa::Message;

// %0..%9 per lane, %10 and %11 vectors of four, %12 registers of r0, %13 a header, %14 a uniform
// dword, %15 three registers. With 32 lanes %9 is per lane with 8 bytes.
std::string Header(int width, const std::string& values) {
  std::string text = absl::StrCat("function tgl width ", width, "\n");
  for (int i = 0; i < 9; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  absl::StrAppend(&text, "value %9 G ", width == 32 ? 8 : 4, "x1\n");
  absl::StrAppend(&text, "value %10 G 4x4\nvalue %11 G 4x4\nvalue %12 U 4x8 whole\n",
                  "value %13 U 4x8 whole\nvalue %14 U 4x1\nvalue %15 U 4x24 whole\n", values,
                  "livein %12 at 0\n");
  return text;
}

std::string Text(const LirMessage& message) {
  return absl::StrCat("[", PrintMessage(lir::RowOf(message)), "]");
}

LirMessage MessageAt3(Message message, bool header, bool indirect, bool bindless) {
  LirMessage m;
  m.fields.message = message;
  m.fields.bti = 3;
  m.fields.sampler = 1;
  m.fields.header = header;
  m.indirect = indirect;
  m.bindless = bindless;
  return m;
}

}  // namespace

std::string Sampler(Message message, bool header, bool indirect, bool bindless) {
  return Text(MessageAt3(message, header, indirect, bindless));
}

// The send to which a sampler message is lowered.
std::string Sent(Message message, int lanes, bool header, bool indirect, bool bindless) {
  LirMessage m = MessageAt3(message, header, indirect, bindless);
  m.fields.lanes = static_cast<uint8_t>(lanes);
  return Text(m);
}

std::string After(const std::string& body,
                  absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int width,
                  int64_t rewrites) {
  return AfterWith("", body, pass, width, rewrites);
}

std::string AfterWith(const std::string& values, const std::string& body,
                      absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int width,
                      int64_t rewrites) {
  const std::string text =
      absl::StrCat(Header(width, values), "block b0 depth 0\n", "  %0:ud = mov %12:ud {w", width,
                   "}\n  %1:ud = mov %12.1:ud {w", width, "}\n  %2:ud = mov %12.2:ud {w", width,
                   "}\n  %13x8:ud = sampler_header %12x8:ud {w8 nomask}\n",
                   "  %14:ud = mov %12.3:ud {nomask}\n", body);
  absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), text);
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  PassContext context = PassContext::ForTest(rewrites);
  const absl::StatusOr<bool> changed = pass(*f, context);
  if (!changed.ok()) return std::string(changed.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string out = lir::Print(MachineOf(Tgl()), *f);
  const std::string marker = "{nomask}\n";
  std::string rest = out.substr(out.find(marker) + marker.size());
  EXPECT_EQ(*changed, rest != body)
      << "the pass's return value contradicts whether the text changed";
  return rest;
}

std::string Op(const std::string& params, const std::string& aux, int width) {
  return absl::StrCat("  %10x4:ud = sampler ", params, " {w", width, " ", aux, "}\n");
}

}  // namespace kiln::intel::testing
