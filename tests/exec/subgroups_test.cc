// Operations between lanes through the whole compiler, at every width, with all lanes active, with
// some of them (chosen by data), in loops that lanes leave one after another, and in workgroups
// whose last thread is not full.
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

struct Case {
  const char* name;
  // Defines %20:i32 from %0 (lane of the workgroup), %10:i32, %11:f32 (small whole numbers),
  // %12:bool; may use %21 to %79.
  const char* body;
};

// A value read from an inactive lane is undefined: it is replaced by 0.
#define IF_ACTIVE                                                               \
  " %50:i32, %51:i32, %52:i32, %53:i32 = ballot true %54:i32 = and %30, 32 "    \
  "%55:bool = ine %54, 0 %56:i32 = select %55, %51, %50 %57:i32 = and %30, 31 " \
  "%58:i32 = ushr %56, %57 %59:i32 = and %58, 1 %49:bool = ine %59, 0 "         \
  "%20:i32 = select %49, %40, 0"

// Sums and products of floats are exact: SPIR-V leaves their order of association open.
constexpr Case kCases[] = {
    {"Elect", "%21:bool = subgroup_elect %20:i32 = select %21, 7, 3"},
    {"Any", "%21:bool = subgroup_any %12 %20:i32 = select %21, 7, 3"},
    {"All", "%21:bool = subgroup_all %12 %20:i32 = select %21, 7, 3"},
    {"AllOfNumberCompare",
     "%22:bool = ult %10, 64 %21:bool = subgroup_all %22 "
     "%20:i32 = select %21, 7, 3"},
    {"VoteDecidesBranch",
     "%21:bool = subgroup_any %12 %20:i32 = if %21 { %22:i32 = iadd %10, 1 "
     "yield %22 } else { %23:i32 = imul %10, 3 yield %23 }"},
    {"Ballot",
     "%21:i32, %22:i32, %23:i32, %24:i32 = ballot %12 %25:i32 = bit_count %21 "
     "%26:i32 = imul %25, 65536 %27:i32 = iadd %21, %26 %28:i32 = or %22, %23 "
     "%29:i32 = or %28, %24 %20:i32 = xor %27, %29"},
    {"LaneMasks",
     "%21:i32, %22:i32, %23:i32, %24:i32 = lane_mask[eq] %25:i32, %26:i32, %27:i32, %28:i32 = "
     "lane_mask[ge] %29:i32, %30:i32, %31:i32, %32:i32 = lane_mask[gt] "
     "%33:i32, %34:i32, %35:i32, %36:i32 = lane_mask[le] %37:i32, %38:i32, %39:i32, %40:i32 = "
     "lane_mask[lt] %41:i32 = imul %21, 3 %42:i32 = imul %25, 5 %43:i32 = imul %29, 7 "
     "%44:i32 = imul %33, 11 %45:i32 = imul %37, 13 %46:i32 = iadd %41, %42 "
     "%47:i32 = iadd %43, %44 %48:i32 = iadd %46, %47 %20:i32 = iadd %48, %45"},
    {"Sizes",
     "%21:i32 = subgroup_size %22:i32 = num_subgroups %23:i32 = subgroup_id "
     "%24:i32 = imul %22, 100 %25:i32 = imul %23, 10000 %26:i32 = iadd %21, %24 "
     "%20:i32 = iadd %25, %26"},
    {"ReadFirst", "%20:i32 = read_first %10"},
    {"ReadFirstFloat", "%21:f32 = read_first %11 %20:i32 = f2u %21"},
    {"ReadFirstBool", "%21:bool = read_first %12 %20:i32 = select %21, 7, 3"},
    {"ReadFirstOfUniform", "%21:i32 = workgroup_id[0] %20:i32 = read_first %21"},
    {"ReadLane",
     "%21:i32 = read_first %0 %22:i32 = subgroup_size %23:i32 = isub %22, 1 "
     "%24:i32 = and %21, %23 %25:i32 = read_lane %10, %24 %20:i32 = iadd %25, 1"},
    {"Shuffle",
     "%21:i32 = iadd %0, 3 %22:i32 = subgroup_size %23:i32 = isub %22, 1 "
     "%30:i32 = and %21, %23 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"ShuffleFloatByData",
     "%22:i32 = subgroup_size %23:i32 = isub %22, 1 "
     "%30:i32 = and %10, %23 %41:f32 = shuffle %11, %30 "
     "%40:i32 = f2u %41" IF_ACTIVE},
    {"ShuffleXor1",
     "%22:i32 = subgroup_invocation %30:i32 = xor %22, 1 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"ShuffleXor4",
     "%22:i32 = subgroup_invocation %30:i32 = xor %22, 4 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"ShuffleXor5",
     "%22:i32 = subgroup_invocation %30:i32 = xor %22, 5 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"ShuffleXor8",
     "%22:i32 = subgroup_invocation %23:i32 = subgroup_size %24:i32 = isub %23, 1 "
     "%25:i32 = and %24, 8 %30:i32 = xor %22, %25 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"ShuffleXor16",
     "%22:i32 = subgroup_invocation %23:i32 = subgroup_size %24:i32 = isub %23, 1 "
     "%25:i32 = and %24, 16 %30:i32 = xor %22, %25 %40:i32 = shuffle %10, %30" IF_ACTIVE},
    {"BallotOfTrue", "%21:i32, %22:i32, %23:i32, %24:i32 = ballot true %20:i32 = bit_count %21"},
    {"QuadSwapHorizontal",
     "%40:i32 = quad_swap[1] %10 %22:i32 = subgroup_invocation "
     "%30:i32 = xor %22, 1" IF_ACTIVE},
    {"QuadSwapVertical",
     "%40:i32 = quad_swap[2] %10 %22:i32 = subgroup_invocation "
     "%30:i32 = xor %22, 2" IF_ACTIVE},
    {"QuadBroadcast",
     "%40:i32 = quad_broadcast[2] %10 %22:i32 = subgroup_invocation "
     "%23:i32 = and %22, -4 %30:i32 = iadd %23, 2" IF_ACTIVE},
    {"QuadSwap",
     "%40:i32 = quad_swap[3] %10 %22:i32 = subgroup_invocation "
     "%30:i32 = xor %22, 3" IF_ACTIVE},
    {"ReduceIadd", "%20:i32 = reduce[iadd, 0] %10"},
    {"ReduceImul", "%21:i32 = or %10, 1 %20:i32 = reduce[imul, 0] %21"},
    {"ReduceImin", "%20:i32 = reduce[imin, 0] %10"},
    {"ReduceImax", "%20:i32 = reduce[imax, 0] %10"},
    {"ReduceUmin", "%20:i32 = reduce[umin, 0] %10"},
    {"ReduceUmax", "%20:i32 = reduce[umax, 0] %10"},
    {"ReduceAnd", "%21:i32 = or %10, 240 %20:i32 = reduce[and, 0] %21"},
    {"ReduceOr", "%20:i32 = reduce[or, 0] %10"},
    {"ReduceXor", "%20:i32 = reduce[xor, 0] %10"},
    {"ReduceFadd", "%21:f32 = reduce[fadd, 0] %11 %20:i32 = bitcast %21"},
    {"ReduceNegativeZeros",
     "%22:bool = ult %10, 0x70000000 %23:f32 = select %22, -0f, 1f "
     "%21:f32 = reduce[fadd, 0] %23 %20:i32 = bitcast %21"},
    {"InclusiveNegativeZeros",
     "%22:bool = ult %10, 0x70000000 %23:f32 = select %22, -0f, 1f "
     "%21:f32 = inclusive_scan[fadd] %23 %20:i32 = bitcast %21"},
    {"ReduceFmul",
     "%22:f32 = select %12, 2f, -0.5f %21:f32 = reduce[fmul, 0] %22 %20:i32 = bitcast %21"},
    {"ReduceFmin", "%21:f32 = reduce[fmin, 0] %11 %20:i32 = bitcast %21"},
    {"ReduceFmax", "%21:f32 = reduce[fmax, 0] %11 %20:i32 = bitcast %21"},
    {"ReduceBool",
     "%21:bool = reduce[and, 0] %12 %22:bool = reduce[xor, 0] %12 "
     "%23:i32 = select %21, 7, 3 %24:i32 = select %22, 90, 50 %20:i32 = iadd %23, %24"},
    {"ReduceUniform",
     "%21:i32 = workgroup_id[0] %22:i32 = iadd %21, 5 "
     "%20:i32 = reduce[iadd, 0] %22"},
    {"Cluster2", "%20:i32 = reduce[iadd, 2] %10"},
    {"Cluster4", "%20:i32 = reduce[umax, 4] %10"},
    {"Cluster8", "%21:f32 = reduce[fadd, 8] %11 %20:i32 = bitcast %21"},
    {"Cluster16", "%20:i32 = reduce[xor, 16] %10"},
    {"Cluster32", "%20:i32 = reduce[iadd, 32] %10"},
    {"ClusterImul", "%21:i32 = or %10, 1 %20:i32 = reduce[imul, 4] %21"},
    {"InclusiveIadd", "%20:i32 = inclusive_scan[iadd] %10"},
    {"InclusiveImul", "%21:i32 = or %10, 1 %20:i32 = inclusive_scan[imul] %21"},
    {"InclusiveUmin", "%20:i32 = inclusive_scan[umin] %10"},
    {"InclusiveFadd",
     "%22:f32 = fmul %11, 0.25f %21:f32 = inclusive_scan[fadd] %22 "
     "%20:i32 = bitcast %21"},
    {"InclusiveBool", "%21:bool = inclusive_scan[or] %12 %20:i32 = select %21, 7, 3"},
    {"ExclusiveIadd", "%20:i32 = exclusive_scan[iadd] %10"},
    {"ExclusiveImul", "%21:i32 = or %10, 1 %20:i32 = exclusive_scan[imul] %21"},
    {"ExclusiveImax", "%20:i32 = exclusive_scan[imax] %10"},
    {"ExclusiveFmin", "%21:f32 = exclusive_scan[fmin] %11 %20:i32 = bitcast %21"},
    {"ExclusiveBool", "%21:bool = exclusive_scan[and] %12 %20:i32 = select %21, 7, 3"},
    {"Several",
     "%21:i32 = exclusive_scan[iadd] 1 %22:i32 = reduce[umax, 0] %10 "
     "%23:i32 = read_first %10 %24:i32 = inclusive_scan[xor] %10 %25:i32 = iadd %21, %22 "
     "%26:i32 = iadd %23, %24 %20:i32 = xor %25, %26"},
};

// Puts the body at one of four points of control flow; each stores %20 or a value computed from it.
std::string Around(const std::string& body, int place) {
  const std::string store = " store_ssbo[1, align 4] %4, %20 ";
  switch (place) {
    case 0: return body + store;
    case 1:
      return "%80:i32 = and %10, 32 %81:bool = ine %80, 0 if %81 {" + body + store +
             "yield } else { yield }";
    case 2:  // the other side runs before and must not change its lanes' values
      return "%80:i32 = and %10, 32 %81:bool = ine %80, 0 %82:i32 = iadd %10, %0 %83:i32 = if %81 {"
             "%84:i32 = imul %82, 5 yield %84 } else {" +
             body + " yield %20 } %85:i32 = iadd %83, %82 store_ssbo[1, align 4] %4, %85";
    default:
      return "%80:i32 = and %10, 3 %81:i32 = loop (%82:i32 = 0, %83:i32 = 0) {" + body +
             " %84:i32 = imul %83, 3 %85:i32 = iadd %84, %20 %86:bool = uge %82, %80 if %86 { break "
             "%85 } else { yield } %87:i32 = iadd %82, 1 continue %87, %85 } "
             "store_ssbo[1, align 4] %4, %81";
  }
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string Prologue(int lanes) {
  return absl::StrCat(
      "mir 1 local_size ", lanes,
      ", 1, 1 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body { "
      "%0:i32 = local_index %1:i32 = shl %0, 2 %2:i32 = workgroup_id[0] %3:i32 = shl %2, 8 "
      "%4:i32 = iadd %1, %3 %10:i32 = load_ssbo[0, align 4] %4 %5:i32 = and %10, 15 "
      "%11:f32 = u2f %5 %12:bool = ult %5, 9 ");
}

class Subgroups : public testing::TestWithParam<Case> {};

TEST_P(Subgroups, AgreeWithTheInterpreter) {
  for (int place = 0; place < 4; ++place) {
    for (int lanes : {64, 24}) {
      const std::string module =
          absl::StrCat(Prologue(lanes), Around(GetParam().body, place), " return }");
      for (uint32_t seed = 1; seed <= 2; ++seed) {
        exec::Setup setup;
        setup.seed = seed;
        setup.groups = 4;
        setup.buffer_bytes = 1024;
        ASSERT_EQ(exec::Compare(module, setup), "")
            << "place " << place << ", " << lanes << " lanes, seed " << seed << "\n"
            << module;
      }
    }
  }
}

// ---- Other types than 32 bits ----

struct Typed {
  std::string type;
  std::string op;  // applied to %13, a value of the type; may use %30 and define %21 to %29
  bool active_only = false;  // values read from inactive lanes are undefined; %30 is the lane
};

std::vector<std::string> OperatorsOf(const std::string& type) {
  if (type[0] == 'f') return {"fadd", "fmul", "fmin", "fmax"};
  return {"iadd", "imul", "imin", "imax", "umin", "umax", "and", "or", "xor"};
}

std::vector<Typed> TypedCases() {
  std::vector<Typed> cases;
  for (const char* t : {"i8", "i16", "i64", "f16"}) {
    const std::string type = t;
    for (const std::string& op : OperatorsOf(type)) {
      for (const char* cluster : {"0", "2", "4", "8", "16"}) {
        cases.push_back({type, absl::StrCat("reduce[", op, ", ", cluster, "] %13")});
      }
      cases.push_back({type, absl::StrCat("inclusive_scan[", op, "] %13")});
      cases.push_back({type, absl::StrCat("exclusive_scan[", op, "] %13")});
    }
    cases.push_back({type, "read_first %13"});
    cases.push_back({type, "read_lane %13, %29"});
    cases.push_back({type, "shuffle %13, %30", true});
    cases.push_back({type, "quad_broadcast[1] %13", true});
    cases.push_back({type, "quad_swap[1] %13", true});
    cases.push_back({type, "quad_swap[2] %13", true});
    cases.push_back({type, "quad_swap[3] %13", true});
  }
  return cases;
}

// Returns code that defines %13 of the type from %10, with all bits in use; floats are such that
// the op is exact.
std::string MakeTyped(const std::string& type, const std::string& op) {
  if (type == "i64") {
    return "%60:i64 = zext %10 %61:i64 = imul %60, 0x9e3779b97f4a7c15i64 %62:i64 = iadd %61, %60 "
           "%63:i64 = and %60, 3i64 %64:bool = ieq %63, 1i64 %13:i64 = select %64, %60, %62 ";
  }
  if (type == "f16" && op.find("fmul") != std::string::npos) {
    return "%60:bool = ieq %5, 0 %61:f32 = select %60, 2f, -1f %13:f16 = f2f %61 ";
  }
  if (type == "f16") return "%60:f32 = fmul %11, 0.25f %61:f32 = fsub %60, 1.0f %13:f16 = f2f %61 ";
  return absl::StrCat("%13:", type, " = trunc %10 ");
}

std::string ReadTyped(const std::string& type) {
  if (type == "i64") {
    return " %65:i64 = ushr %14, 32 %66:i32 = trunc %65 %67:i32 = trunc %14 %68:i32 = imul %66, 3 "
           "%40:i32 = xor %68, %67 ";
  }
  if (type == "f16") return " %65:f32 = f2f %14 %40:i32 = bitcast %65 ";
  return " %40:i32 = zext %14 ";
}

TEST(SubgroupTypes, AgreeWithTheInterpreter) {
  for (const Typed& c : TypedCases()) {
    // The lane that is read: by a pattern of the op's, or by data.
    std::string lane = "%22:i32 = subgroup_size %23:i32 = isub %22, 1 %30:i32 = and %10, %23 ";
    if (c.op[0] == 'q') {
      const std::string number(1, c.op[c.op.find('[') + 1]);
      lane = c.op[5] == 's'
                 ? "%22:i32 = subgroup_invocation %30:i32 = xor %22, " + number + " "
                 : "%22:i32 = subgroup_invocation %23:i32 = and %22, -4 %30:i32 = iadd %23, " +
                       number + " ";
    }
    const std::string body = absl::StrCat(MakeTyped(c.type, c.op), lane,
                                          "%28:i32 = read_first %0 %27:i32 = subgroup_size "
                                          "%26:i32 = isub %27, 1 %29:i32 = and %28, %26 %14:",
                                          c.type, " = ", c.op, ReadTyped(c.type),
                                          c.active_only ? IF_ACTIVE : "%20:i32 = iadd %40, 0");
    for (int place = 0; place < 4; ++place) {
      const std::string module =
          absl::StrCat(Prologue(place % 2 == 0 ? 64 : 24), Around(body, place), " return }");
      exec::Setup setup;
      setup.seed = static_cast<uint32_t>(place + 1);
      setup.groups = 4;
      setup.buffer_bytes = 1024;
      setup.floats = c.type == "f16";  // minus zero equals zero
      setup.ulp = 0;
      ASSERT_EQ(exec::Compare(module, setup), "")
          << c.type << " " << c.op << ", place " << place << "\n"
          << module;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Subgroups, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kiln
