#include "core/mid/lower/lower_dot_products.h"

#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

struct Form {
  bool is_signed[2];  // the bytes of each factor
  bool saturates;
};

// Returns true, and the form, for a dot product.
bool FormOf(Op op, Form* form) {
  switch (op) {
    case Op::kSdot4x8: *form = {{true, true}, false}; return true;
    case Op::kUdot4x8: *form = {{false, false}, false}; return true;
    case Op::kSudot4x8: *form = {{true, false}, false}; return true;
    case Op::kSdot4x8Sat: *form = {{true, true}, true}; return true;
    case Op::kUdot4x8Sat: *form = {{false, false}, true}; return true;
    case Op::kSudot4x8Sat: *form = {{true, false}, true}; return true;
    default: return false;
  }
}

class Lowering {
 public:
  explicit Lowering(Module& module) : m_(module), b_(module), replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Visit(id); });
    replace_.Apply(m_);
    return lowered_;
  }

 private:
  // Returns true if the instruction stays.
  bool Visit(InstId id) {
    replace_.Resolve(m_, id);
    Form form;
    if (!FormOf(m_.inst(id).op, &form)) return true;
    const ValueId a = m_.source(id, 0), b = m_.source(id, 1), addend = m_.source(id, 2);
    const ValueId products = SumOfProducts(form, a, b);
    replace_.Replace(m_.result(id), form.saturates ? SaturatedSum(form, products, addend)
                                                   : b_.Iadd(products, addend));
    lowered_ = true;
    return false;
  }

  ValueId Byte(ValueId dword, uint32_t byte, bool is_signed) {
    const ValueId first = b_.Int(8 * byte), count = b_.Int(8);
    return is_signed ? b_.SbitfieldExtract(dword, first, count)
                     : b_.UbitfieldExtract(dword, first, count);
  }

  ValueId SumOfProducts(const Form& form, ValueId a, ValueId b) {
    ValueId sum;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const ValueId x = Byte(a, byte, form.is_signed[0]);
      const ValueId product = b_.Imul(x, Byte(b, byte, form.is_signed[1]));
      sum = byte == 0 ? product : b_.Iadd(sum, product);
    }
    return sum;
  }

  // The sum of unsigned numbers is too large if it wraps; that of signed ones, if both have the
  // sign that it lacks, and then both are on the same side of the range.
  ValueId SaturatedSum(const Form& form, ValueId products, ValueId addend) {
    const ValueId sum = b_.Iadd(products, addend);
    if (!form.is_signed[0]) return b_.Select(b_.Ult(sum, addend), b_.Int(~0u), sum);
    const ValueId lacks = b_.And(b_.Xor(sum, products), b_.Xor(sum, addend));
    const ValueId limit = b_.Xor(b_.Ashr(addend, b_.Int(31)), b_.Int(0x7fffffff));
    return b_.Select(b_.Slt(lacks, b_.Int(0)), limit, sum);
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  bool lowered_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerDotProducts(Module& module, PassContext&) {
  return Lowering(module).Run();
}

}  // namespace kiln::mid
