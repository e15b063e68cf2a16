// Parses and makes W3C trace contexts: see context.h.
#include "server/trace/context.h"

#include <algorithm>
#include <random>
#include <set>

namespace kiln::trace {
namespace {

constexpr size_t kTraceparentSize = 55;  // of version 00
constexpr size_t kMaxMembers = 32, kMaxStateSize = 512;
constexpr size_t kMaxKeySize = 256, kMaxTenantSize = 241, kMaxSystemSize = 14, kMaxValueSize = 256;

// Returns the digit's value; -1 for any other character, upper case included.
int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Parses two digits for each byte. Returns false if there is anything else.
bool ParseHex(std::string_view text, std::span<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = Digit(text[2 * i]), low = Digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

template <size_t kSize>
bool IsZero(const std::array<uint8_t, kSize>& bytes) {
  return bytes == std::array<uint8_t, kSize>{};
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HasKeyCharacters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsLower(c) || IsDigit(c) || c == '_' || c == '-' || c == '*' || c == '/';
  });
}

// "key", or "tenant@system".
bool IsKey(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) {
    return !text.empty() && text.size() <= kMaxKeySize && IsLower(text[0]) &&
           HasKeyCharacters(text);
  }
  const std::string_view tenant = text.substr(0, at), system = text.substr(at + 1);
  return !tenant.empty() && tenant.size() <= kMaxTenantSize &&
         (IsLower(tenant[0]) || IsDigit(tenant[0])) && HasKeyCharacters(tenant) &&
         !system.empty() && system.size() <= kMaxSystemSize && IsLower(system[0]) &&
         HasKeyCharacters(system);
}

bool IsValue(std::string_view text) {
  return !text.empty() && text.size() <= kMaxValueSize && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Fills the bytes at random, and never with zeros only.
void FillRandom(std::span<uint8_t> bytes) {
  thread_local std::mt19937_64 random((uint64_t{std::random_device()()} << 32) ^
                                      std::random_device()());
  do {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> 24);
  } while (std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; }));
}

}  // namespace

std::optional<Context> ParseTraceparent(std::string_view text) {
  if (text.size() < kTraceparentSize || text[2] != '-' || text[35] != '-' || text[52] != '-') {
    return std::nullopt;
  }
  Context context;
  std::array<uint8_t, 1> version{}, flags{};
  if (!ParseHex(text, version) || !ParseHex(text.substr(3), context.trace) ||
      !ParseHex(text.substr(36), context.span) || !ParseHex(text.substr(53), flags)) {
    return std::nullopt;
  }
  const bool longer = text.size() > kTraceparentSize;
  if (version[0] == 0xff || (longer && (version[0] == 0 || text[kTraceparentSize] != '-')) ||
      IsZero(context.trace) || IsZero(context.span)) {
    return std::nullopt;
  }
  context.flags = flags[0] & (kSampled | kRandom);
  return context;
}

std::string FormatTraceparent(const Context& context) {
  const std::array<uint8_t, 1> flags = {context.flags};
  return "00-" + Hex(context.trace) + "-" + Hex(context.span) + "-" + Hex(flags);
}

std::string CheckedTracestate(std::string_view text) {
  std::string state;
  std::set<std::string_view> keys;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view member = WithoutSpaces(text.substr(begin, end - begin));
    begin = end + 1;
    if (member.empty()) continue;
    const size_t equals = member.find('=');
    if (equals == std::string_view::npos) return "";
    const std::string_view key = member.substr(0, equals);
    if (!IsKey(key) || !IsValue(member.substr(equals + 1)) || !keys.insert(key).second) return "";
    if (!state.empty()) state.push_back(',');
    state.append(member);
  }
  return keys.size() > kMaxMembers || state.size() > kMaxStateSize ? "" : state;
}

Context NewContext(bool sampled) {
  Context context;
  FillRandom(context.trace);
  context.span = NewSpanId();
  context.flags = static_cast<uint8_t>(kRandom | (sampled ? kSampled : 0));
  return context;
}

SpanId NewSpanId() {
  SpanId id;
  FillRandom(id);
  return id;
}

std::string Hex(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace kiln::trace
