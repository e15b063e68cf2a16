// Bounds the memory that a message takes once parsed: see wire_bounds.h.
#include "server/request/wire_bounds.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/worker/check_state.h"

namespace kiln::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using kiln::v1::ColorAttachments;
using kiln::v1::CompileOptions;
using kiln::v1::CompileRequest;
using kiln::v1::GlslSource;
using kiln::v1::NextStageReads;

// No message of ours nests deeper, and protobuf does not parse deeper ones.
constexpr int kDepth = 16;

class Walk {
 public:
  Walk(const std::map<const FieldDescriptor*, uint64_t>& most, CodedInputStream* in)
      : most_(most), in_(in) {}

  // Walks one message. Returns false when the walk has ended.
  bool Message(const Descriptor& type, int depth) {
    while (const uint32_t tag = in_->ReadTag()) {
      const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (!Field(field, tag, depth)) return false;
    }
    return true;
  }
  std::optional<WireBounds::TooMany> TakeResult() { return std::move(result_); }

 private:
  bool Field(const FieldDescriptor* field, uint32_t tag, int depth) {
    const auto wire = WireFormatLite::GetTagWireType(tag);
    if (wire == WireFormatLite::WIRETYPE_START_GROUP ||
        wire == WireFormatLite::WIRETYPE_END_GROUP) {
      result_ = {Path(nullptr), "groups are not accepted"};  // proto3 has none
      return false;
    }
    // Protobuf treats it as unknown, too.
    if (field != nullptr && !Fits(*field, wire)) field = nullptr;
    if (wire != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      return Count(field, 1) && WireFormatLite::SkipField(in_, tag);
    }
    uint32_t length = 0;
    if (!in_->ReadVarint32(&length) || length > INT32_MAX) return false;
    // A packed element has at least one byte.
    const bool packed = field != nullptr && field->is_packable();
    if (!Count(field, packed ? length : 1)) return false;
    const bool nested =
        field != nullptr && field->type() == FieldDescriptor::TYPE_MESSAGE && depth < kDepth;
    return nested ? Nested(*field, length, depth) : in_->Skip(static_cast<int>(length));
  }

  static bool Fits(const FieldDescriptor& field, WireFormatLite::WireType wire) {
    const auto type = static_cast<WireFormatLite::FieldType>(field.type());
    return WireFormatLite::WireTypeForFieldType(type) == wire ||
           (field.is_packable() && wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  }

  bool Nested(const FieldDescriptor& field, uint32_t length, int depth) {
    // Protobuf would read on, beyond the outer message, and notice only at the inner one's end.
    if (const int left = in_->BytesUntilLimit();
        left >= 0 && length > static_cast<uint32_t>(left)) {
      result_ = {Path(&field), "a field is longer than the message that contains it"};
      return false;
    }
    path_.push_back(&field);
    const auto outer = in_->PushLimit(static_cast<int>(length));
    const bool whole = Message(*field.message_type(), depth + 1) && in_->BytesUntilLimit() == 0;
    in_->PopLimit(outer);
    path_.pop_back();
    return whole;
  }

  // Known fields that are not repeated take no further memory: later values replace earlier ones.
  bool Count(const FieldDescriptor* field, uint64_t n) {
    if (field != nullptr && !field->is_repeated()) return true;
    const auto bound = most_.find(field);
    const uint64_t most = bound == most_.end() ? kMaxOtherFields : bound->second;
    if ((counts_[field] += n) <= most) return true;
    result_ = {Path(field), absl::StrCat("more than ", most, ", the maximum that is accepted")};
    return false;
  }

  std::string Path(const FieldDescriptor* field) const {
    std::string path;
    for (const FieldDescriptor* outer : path_) absl::StrAppend(&path, outer->name(), ".");
    return path + (field == nullptr ? "(unknown)" : field->name());
  }

  const std::map<const FieldDescriptor*, uint64_t>& most_;
  CodedInputStream* const in_;
  std::vector<const FieldDescriptor*> path_;
  std::map<const FieldDescriptor*, uint64_t> counts_;  // null: unknown ones
  std::optional<WireBounds::TooMany> result_;
};

}  // namespace

WireBounds::WireBounds(const kiln::v1::Capabilities::Limits& limits) {
  auto bound = [this](const Descriptor& type, int field, uint64_t most) {
    most_[type.FindFieldByNumber(field)] = most;
  };
  const Descriptor& request = *CompileRequest::descriptor();
  bound(request, CompileRequest::kTargetsFieldNumber, limits.max_targets());
  bound(request, CompileRequest::kSpecConstantsFieldNumber, limits.max_spec_constants());
  const Descriptor& glsl = *GlslSource::descriptor();
  bound(glsl, GlslSource::kDefinesFieldNumber, limits.max_defines());
  bound(glsl, GlslSource::kIncludesFieldNumber, limits.max_includes());
  bound(*GlslSource::Hlsl::descriptor(), GlslSource::Hlsl::kRegisterShiftsFieldNumber,
        kMaxRegisterShifts);
  const Descriptor& options = *CompileOptions::descriptor();
  bound(options, CompileOptions::kDisabledPassesFieldNumber, limits.max_disabled_passes());
  bound(*ColorAttachments::descriptor(), ColorAttachments::kAttachmentsFieldNumber,
        worker::kMaxAttachments);
  bound(*NextStageReads::descriptor(), NextStageReads::kLocationsFieldNumber,
        worker::kMaxLocations);
}

std::optional<WireBounds::TooMany> WireBounds::Check(
    google::protobuf::io::ZeroCopyInputStream* bytes, const Descriptor& type) const {
  CodedInputStream in(bytes);
  Walk walk(most_, &in);
  walk.Message(type, 0);
  return walk.TakeResult();
}

}  // namespace kiln::server
