// The forms in which a scan of the workgroup (mir::Op::kWorkgroupScan) is computed.
//
// Each wave stores its count in LDS; behind a barrier each wave loads the counts of all, and lane i
// gets the sum of the first i + 1. In the place of absent waves LDS holds anything. Forms differ in
// what a count takes in LDS and in how sums are made:
//
//   dword_dpp     a dword for each wave, of which lane i loads the i-th; lanes add lanes below
//   dword_scalar  the same load; each count is read into a scalar register, scalar sums
//   byte_perm     a byte for each wave, all lanes load all; v_perm_b32 clears those that lane i
//                 does not count, v_sad_u8 adds the rest
//   byte_dot      the same load; v_dot4_u32_u8 multiplies those that lane i counts by 1, others
//                 by 0, and adds
//   byte_msad     the same load, shifted until only what lane i counts is left; v_msad_u8 adds
//
// Mesa had dword_scalar, which byte_perm replaced (dword_dpp was a draft of that); 25.0.7 has
// byte_dot, and byte_msad for chips without dot products (ac_nir.c, summarize_repack).
#ifndef KILN_CORE_AMD_SELECT_SCAN_FORM_H_
#define KILN_CORE_AMD_SELECT_SCAN_FORM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/amd/device/device.h"

namespace kiln::amd {

enum class ScanForm : uint8_t { kDwordDpp, kDwordScalar, kBytePerm, kByteDot, kByteMsad };
inline constexpr ScanForm kScanForms[] = {ScanForm::kDwordDpp, ScanForm::kDwordScalar,
                                          ScanForm::kBytePerm, ScanForm::kByteDot,
                                          ScanForm::kByteMsad};
inline constexpr std::string_view kScanFormNames[] = {"dword_dpp", "dword_scalar", "byte_perm",
                                                      "byte_dot", "byte_msad"};

// Returns the form of that name; nothing: there is none.
constexpr std::optional<ScanForm> FindScanForm(std::string_view name) {
  for (const ScanForm form : kScanForms) {
    if (kScanFormNames[static_cast<size_t>(form)] == name) return form;
  }
  return std::nullopt;
}

constexpr bool IsOfBytes(ScanForm form) { return form >= ScanForm::kBytePerm; }
constexpr bool Has(const Device& device, ScanForm form) {
  return form != ScanForm::kByteDot || device.dot_products;
}

// The most waves of a workgroup that is scanned: eight of 32 lanes, four of 64.
inline constexpr uint32_t kMaxScannedWaves = 8;

// Facts about a scan on which its code depends, besides its form.
struct ScanShape {
  uint32_t width = 32;   // lanes of a wave
  uint32_t waves = 1;    // that the workgroup can have
  uint32_t streams = 1;  // counts of each wave: 1 or 2
};

// Returns the dwords of LDS that the counts take; none for a single wave.
constexpr uint32_t LdsDwords(ScanForm form, const ScanShape& shape) {
  if (shape.waves <= 1) return 0;
  return shape.streams * (IsOfBytes(form) ? (shape.waves + 3) / 4 : shape.waves);
}

// The form of each scan of a module, by its waves and streams, each minus 1.
using ScanForms = std::array<std::array<ScanForm, 2>, kMaxScannedWaves>;
constexpr ScanForms AllScans(ScanForm form) {
  ScanForms forms{};
  for (auto& of_streams : forms) of_streams = {form, form};
  return forms;
}

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_SCAN_FORM_H_
