// Text tests of the message passes: LIR in, one pass, LIR out.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/sampler_op.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Message;

// %0..%9 per lane, %10 and %11 vectors of four, %12 registers of r0, %13 a header, %14 a uniform
// dword, %15 three registers. With 32 lanes %9 is per lane with 8 bytes.
std::string Header(int width) {
  std::string text = absl::StrCat("function tgl width ", width, "\n");
  for (int i = 0; i < 9; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  absl::StrAppend(&text, "value %9 G ", width == 32 ? 8 : 4, "x1\n");
  absl::StrAppend(&text, "value %10 G 4x4\nvalue %11 G 4x4\nvalue %12 U 4x8 whole\n",
                  "value %13 U 4x8 whole\nvalue %14 U 4x1\nvalue %15 U 4x24 whole\n",
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

std::string Sampler(Message message, bool header = false, bool indirect = false,
                    bool bindless = false) {
  return Text(MessageAt3(message, header, indirect, bindless));
}

// The send that a sampler message becomes.
std::string Sent(Message message, int lanes, bool header = false, bool indirect = false,
                 bool bindless = false) {
  LirMessage m = MessageAt3(message, header, indirect, bindless);
  m.fields.lanes = static_cast<uint8_t>(lanes);
  return Text(m);
}

absl::StatusOr<bool> Strip(lir::Function& f, PassContext& context) {
  return StripSamplerParameters(f, Tgl(), context);
}

std::string After(const std::string& body,
                  absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int width = 8,
                  int64_t rewrites = -1) {
  const std::string text = absl::StrCat(
      Header(width), "block b0 depth 0\n",
      "  %0:ud = mov %12:ud {w", width, "}\n  %1:ud = mov %12.1:ud {w", width,
      "}\n  %2:ud = mov %12.2:ud {w", width, "}\n  %13x8:ud = sampler_header %12x8:ud {w8 nomask}\n",
      "  %14:ud = mov %12.3:ud {nomask}\n", body);
  absl::StatusOr<lir::Function> f = lir::Parse(TargetOf(Tgl()), text);
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(TargetOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  PassContext context = PassContext::ForTest(rewrites);
  const absl::StatusOr<bool> changed = pass(*f, context);
  if (!changed.ok()) return std::string(changed.status().message());
  if (absl::Status s = lir::Verify(TargetOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string out = lir::Print(TargetOf(Tgl()), *f);
  const std::string marker = "{nomask}\n";
  const std::string rest = out.substr(out.find(marker) + marker.size());
  EXPECT_EQ(*changed, rest != body) << "what the pass says it did";
  return rest;
}

std::string Op(const std::string& params, const std::string& aux, int width = 8) {
  return absl::StrCat("  %10x4:ud = sampler ", params, " {w", width, " ", aux, "}\n");
}

// ---- strip_sampler_parameters ----

TEST(StripSamplerParameters, ZerosAtTheEndGo) {
  const std::string aux = Sampler(Message::kLd);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud #0x0:ud", aux), Strip), Op("%0:ud", aux));
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %1:ud #0x0:ud", aux), Strip), Op("%0:ud #0x0:ud %1:ud", aux));
}

TEST(StripSamplerParameters, TheFirstParameterAndTheHeaderStay) {
  const std::string aux = Sampler(Message::kGather4, true);
  EXPECT_EQ(After(Op("%13x8:ud #0x0:ud #0x0:ud", aux), Strip), Op("%13x8:ud #0x0:ud", aux));
}

TEST(StripSamplerParameters, OtherConstantsAndReferencesStay) {
  for (const std::string& same :
       {Op("%0:ud #0x80000000:ud", Sampler(Message::kSampleLz)),
        Op("%0:ud %1:ud #0x0:ud", Sampler(Message::kSampleCLz)),
        Op("%0:ud #0x0:ud", Sampler(Message::kSampleC))}) {
    EXPECT_EQ(After(same, Strip), same);
  }
}

TEST(StripSamplerParameters, TheDescriptorStaysLast) {
  const std::string aux = Sampler(Message::kLdLz, false, true);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %14:ud", aux), Strip), Op("%0:ud %14:ud", aux));
}

TEST(StripSamplerParameters, IndexAndHandleStayInOrder) {
  const std::string aux = Sampler(Message::kLdLz, false, true, true);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %14:ud %12.5:ud", aux), Strip),
            Op("%0:ud %14:ud %12.5:ud", aux));
}

TEST(StripSamplerParameters, AsksForEachMessage) {
  const std::string aux = Sampler(Message::kLdLz);
  const std::string two =
      Op("%0:ud #0x0:ud", aux) +
      absl::StrReplaceAll(Op("%1:ud #0x0:ud", aux), {{"%10", "%11"}});
  EXPECT_EQ(After(two, Strip, 8, 1), absl::StrReplaceAll(two, {{"%0:ud #0x0:ud", "%0:ud"}}));
}

// ---- lower_samplers ----

TEST(LowerSamplers, IndexAndHandleFollowThePayload) {
  EXPECT_EQ(
      After(Op("%0:ud %14:ud %12.5:ud", Sampler(Message::kLdLz, false, true, true)), LowerSamplers),
      absl::StrCat("  %10x4:ud = msg %0:ud %14:ud %12.5:ud {w8 ",
                   Sent(Message::kLdLz, 8, false, true, true), "}\n"));
}

TEST(LowerSamplers, OnePayloadOfAllParameters) {
  EXPECT_EQ(
      After(Op("%0:ud #0x3f800000:ud %1:ud", Sampler(Message::kSampleL), 16), LowerSamplers, 16),
      absl::StrCat("  %16:ud = mov #0x3f800000:ud {w16}\n"
                   "  %17x3:ud = collect %0:ud %16:ud %1:ud {w16}\n"
                   "  %10x4:ud = msg %17x3:ud {w16 ",
                   Sent(Message::kSampleL, 16), "}\n"));
}

TEST(LowerSamplers, ASingleParameterIsThePayload) {
  EXPECT_EQ(After(Op("%0:ud %14:ud", Sampler(Message::kLdLz, false, true)), LowerSamplers),
            absl::StrCat("  %10x4:ud = msg %0:ud %14:ud {w8 ", Sent(Message::kLdLz, 8, false, true),
                         "}\n"));
}

TEST(LowerSamplers, AHeaderMakesThePayloadRegisters) {
  EXPECT_EQ(
      After(Op("%13x8:ud %0:ud %1:ud", Sampler(Message::kGather4, true), 16), LowerSamplers, 16),
      absl::StrCat("  %16x40:ud = collect %13x8:ud %0:ud %1:ud {w16}\n"
                   "  %10x4:ud = msg %16x40:ud {w16 ",
                   Sent(Message::kGather4, 16, true), "}\n"));
}

TEST(LowerSamplers, MoreThanElevenRegistersAreAnError) {
  const std::string eleven =
      "%0:ud %0:ud %0:ud %1:ud %1:ud %1:ud %2:ud %2:ud %2:ud #0x0:ud %0:ud";
  EXPECT_NE(After(Op(eleven, Sampler(Message::kSampleD)), LowerSamplers).find("msg"),
            std::string::npos);
  EXPECT_NE(After(Op("%13x8:ud " + eleven, Sampler(Message::kSampleD, true)), LowerSamplers)
                .find("more parameters than fit"),
            std::string::npos);
}

// Six parameters of two registers are too many for one message.
TEST(LowerSamplers, LongMessagesGoOutInHalves) {
  const std::string out =
      After(Op("%0:ud %1:ud %2:ud %0:ud %1:ud %2:ud", Sampler(Message::kSampleLC), 16),
            LowerSamplers, 16);
  const std::string aux = Sent(Message::kSampleLC, 8);
  EXPECT_NE(out.find("  %17x8:ud = mov %0:ud {w8 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("= mov %2:ud {w8 g8 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find(absl::StrCat("  %16x32:ud = msg %23x48:ud {w8 ", aux, "}\n")),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(absl::StrCat("{w8 g8 ", aux, "}\n")), std::string::npos) << out;
  EXPECT_NE(out.find("  %10x4:ud = join %16x32:ud %24x32:ud {w16}\n"), std::string::npos) << out;
}

TEST(LowerSamplers, DerivativesGoOutInHalves) {
  const std::string out =
      After(Op("%0:ud %1:ud %2:ud", Sampler(Message::kSampleD), 16), LowerSamplers, 16);
  EXPECT_NE(out.find("join"), std::string::npos) << out;
  EXPECT_NE(After(Op("%0:ud %1:ud %2:ud", Sampler(Message::kSampleD)), LowerSamplers).find("msg"),
            std::string::npos);
}

// ---- halve_messages ----

TEST(HalveMessages, PayloadsOfOneComponentAreReadWhereTheyAre) {
  EXPECT_EQ(After("  %10x4:ud = msg.read %0:ud {w32 [untyped_read lanes 16 channels 15]}\n",
                  HalveMessages, 32),
            "  %16x64:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 15]}\n"
            "  %17x64:ud = msg.read %0:ud {w16 g16 [untyped_read lanes 16 channels 15]}\n"
            "  %10x4:ud = join %16x64:ud %17x64:ud {w32}\n");
}

TEST(HalveMessages, AddressesOf64BitsToo) {
  const std::string pack = "  %9:ud = pack %0:ud %1:ud {w32}\n";   // %9 has 8 bytes a lane there
  EXPECT_EQ(After(pack + "  msg.write %9:ud %2:ud {w32 [untyped_write lanes 16 channels 15]}\n",
                  HalveMessages, 32),
            pack +
                "  msg.write %9:ud %2:ud {w16 [untyped_write lanes 16 channels 15]}\n"
                "  msg.write %9:ud %2:ud {w16 g16 [untyped_write lanes 16 channels 15]}\n");
}

TEST(HalveMessages, OfSeveralComponentsEachHalfIsMoved) {
  const std::string collect = "  %11x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w32}\n";
  const std::string out =
      After(collect + "  msg.write %1:ud %11x2:ud {w32 [untyped_write lanes 16 channels 15]}\n",
            HalveMessages, 32);
  EXPECT_NE(out.find("mov %11.1:ud {w16 g16 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("{w16 g16 [untyped_write lanes 16 channels 15]}\n"), std::string::npos) << out;
}

TEST(HalveMessages, SixteenLanesStay) {
  const std::string read =
      "  %10x4:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 15]}\n";
  EXPECT_EQ(After(read, HalveMessages, 16), read);
}

// ---- split_sends ----

std::string Send(const std::string& operands, const std::string& aux) {
  return absl::StrCat("  %10x4:ud = msg ", operands, " {w8 ", aux, "}\n");
}

TEST(SplitSends, TwoPartsNeedNoCopies) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  const std::string first = "  %11x4:ud = msg %0:ud {w8 " + aux + "}\n";
  EXPECT_EQ(After(first + "  %15x24:ud = collect %11.2x2:ud %0:ud {w8}\n" + Send("%15x24:ud", aux),
                  SplitSends),
            first + Send("%11.2x2:ud %0:ud", aux));
}

TEST(SplitSends, CutsWhereOneHalfIsAValueAlready) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  EXPECT_EQ(After("  %11x4:ud = msg %0:ud {w8 " + aux +
                      "}\n"
                      "  %15x24:ud = collect %1:ud %11.1:ud %11.2:ud {w8}\n" +
                      Send("%15x24:ud", aux),
                  SplitSends),
            "  %11x4:ud = msg %0:ud {w8 " + aux + "}\n" + Send("%1:ud %11.1x2:ud", aux));
}

TEST(SplitSends, CutsBehindTheHeader) {
  const std::string aux = Sent(Message::kGather4, 8, true);
  EXPECT_EQ(After("  %15x24:ud = collect %13x8:ud %0:ud %1:ud {w8}\n" + Send("%15x24:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %0:ud %1:ud {w8}\n" + Send("%13x8:ud %16x2:ud", aux));
}

TEST(SplitSends, SharedPayloadsAndMessagesWithTwoStay) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  const std::string shared = "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" +
                             Send("%15x24:ud", aux) +
                             absl::StrReplaceAll(Send("%15x24:ud", aux), {{"%10", "%11"}});
  EXPECT_EQ(After(shared, SplitSends), shared);
  const std::string two =
      "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%0:ud %15x24:ud", aux);
  EXPECT_EQ(After(two, SplitSends), two);
}

TEST(SplitSends, TheDescriptorKeepsItsPlace) {
  const std::string aux = Sent(Message::kLdLz, 8, false, true);
  EXPECT_EQ(After("  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud %14:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %1:ud %2:ud {w8}\n" + Send("%0:ud %16x2:ud %14:ud", aux));
}

TEST(SplitSends, TheHandleKeepsItsPlace) {
  const std::string aux = Sent(Message::kLdLz, 8, false, false, true);
  EXPECT_EQ(After("  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud %14:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %1:ud %2:ud {w8}\n" + Send("%0:ud %16x2:ud %14:ud", aux));
}

TEST(SplitSends, EqualHalvesAreMadeOnce) {
  const std::string tail = " {w8 " + Sent(Message::kLdLz, 8) + "}\n";
  EXPECT_EQ(After("  %10x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w8}\n  %3:ud = msg %10x4:ud" + tail +
                      "  %11x4:ud = collect %1:ud %1:ud %2:ud %0:ud {w8}\n  %4:ud = msg %11x4:ud" +
                      tail,
                  SplitSends),
            "  %16x3:ud = collect %1:ud %2:ud %0:ud {w8}\n  %3:ud = msg %0:ud %16x3:ud" + tail +
                "  %4:ud = msg %1:ud %16x3:ud" + tail);
}

TEST(SplitSends, AsksForEachMessage) {
  const std::string aux = Sent(Message::kLdLz, 8);
  const std::string text =
      "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud", aux);
  EXPECT_EQ(After(text, SplitSends, 8, 0), text);
}

}  // namespace
}  // namespace kiln::intel
