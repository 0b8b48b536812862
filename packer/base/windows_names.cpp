#include "packer/base/windows_names.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

using namespace std::string_view_literals;

// Returns true if the name belongs to a device. Up to Windows 10, both "aux" and "aux.txt" do.
bool names_device(std::string_view name) {
  std::string_view stem = name.substr(0, name.find('.'));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  std::string word(stem);
  std::ranges::transform(word, word.begin(), lower_case);
  constexpr std::array kDevices = {"con"sv, "prn"sv, "aux"sv, "nul"sv, "conin$"sv, "conout$"sv};
  if (std::ranges::find(kDevices, word) != kDevices.end()) return true;
  const bool is_port = word.starts_with("com") || word.starts_with("lpt");
  return is_port && word.size() == 4 && word[3] >= '1' && word[3] <= '9';
}

// Returns a description of the fault, or null if there is none.
const char* fault_of_part(std::string_view part) {
  constexpr unsigned char kFirstPrintable = ' ';
  const auto is_refused = [](char c) {
    return static_cast<unsigned char>(c) < kFirstPrintable || R"(<>:"\|?*)"sv.contains(c);
  };
  if (std::ranges::any_of(part, is_refused)) return "holds a character that Windows refuses";
  if (part.ends_with(' ') || part.ends_with('.'))
    return "ends in a dot or a space, which Windows drops";
  return names_device(part) ? "names a device" : nullptr;
}

// Describes capitals whose small letters lie `step` further on and have as many bytes in UTF-8. In
// blocks where capitals and small letters alternate, the capitals are the even ones or the odd
// ones.
struct Capitals {
  uint16_t first;
  uint16_t last;
  int16_t step;
  enum class Which : uint8_t { all, even, odd } which = Which::all;
};
using enum Capitals::Which;
constexpr std::array kCapitals = {
    Capitals{0x00c0, 0x00d6, 32},      Capitals{0x00d8, 0x00de, 32},
    Capitals{0x0100, 0x012e, 1, even}, Capitals{0x0132, 0x0136, 1, even},
    Capitals{0x0139, 0x0147, 1, odd},  Capitals{0x014a, 0x0176, 1, even},
    Capitals{0x0178, 0x0178, -121},    Capitals{0x0179, 0x017d, 1, odd},
    Capitals{0x01a0, 0x01a4, 1, even}, Capitals{0x01af, 0x01af, 1},
    Capitals{0x01cd, 0x01db, 1, odd},  Capitals{0x01de, 0x01ee, 1, even},
    Capitals{0x01f4, 0x01f4, 1},       Capitals{0x01f8, 0x021e, 1, even},
    Capitals{0x0222, 0x0232, 1, even}, Capitals{0x0386, 0x0386, 38},
    Capitals{0x0388, 0x038a, 37},      Capitals{0x038c, 0x038c, 64},
    Capitals{0x038e, 0x038f, 63},      Capitals{0x0391, 0x03a1, 32},
    Capitals{0x03a3, 0x03ab, 32},      Capitals{0x03d8, 0x03ee, 1, even},
    Capitals{0x0400, 0x040f, 80},      Capitals{0x0410, 0x042f, 32},
    Capitals{0x0460, 0x0480, 1, even}, Capitals{0x048a, 0x04be, 1, even},
    Capitals{0x04c0, 0x04c0, 15},      Capitals{0x04c1, 0x04cd, 1, odd},
    Capitals{0x04d0, 0x052e, 1, even}, Capitals{0x0531, 0x0556, 48},
    Capitals{0x10a0, 0x10c5, 7264},    Capitals{0x1e00, 0x1e94, 1, even},
    Capitals{0x1ea0, 0x1efe, 1, even}, Capitals{0x1f08, 0x1f0f, -8},
    Capitals{0x1f18, 0x1f1d, -8},      Capitals{0x1f28, 0x1f2f, -8},
    Capitals{0x1f38, 0x1f3f, -8},      Capitals{0x1f48, 0x1f4d, -8},
    Capitals{0x1f59, 0x1f5f, -8, odd}, Capitals{0x1f68, 0x1f6f, -8},
    Capitals{0x2160, 0x216f, 16},      Capitals{0x24b6, 0x24cf, 26},
    Capitals{0x2c00, 0x2c2e, 48},      Capitals{0x2c80, 0x2ce2, 1, even},
    Capitals{0xa640, 0xa66c, 1, even}, Capitals{0xa680, 0xa69a, 1, even},
    Capitals{0xff21, 0xff3a, 32},
};

char32_t small_letter(char32_t point) {
  for (const Capitals& capitals : kCapitals) {
    if (point < capitals.first) break;
    if (point > capitals.last) continue;
    const bool is_capital = capitals.which == all || (point % 2 == 0) == (capitals.which == even);
    return is_capital ? static_cast<char32_t>(static_cast<int32_t>(point) + capitals.step) : point;
  }
  return point;
}

}  // namespace

std::string one_windows_spelling(std::string_view path) {
  std::string spelt(path);
  for (size_t at = 0; at < spelt.size();) {
    char& c = spelt[at];
    if (static_cast<unsigned char>(c) < 0x80) {
      c = is_slash_of_windows(c) ? '/' : lower_case(c);
      ++at;
      continue;
    }
    const Utf8Character letter = first_character(std::string_view(spelt).substr(at));
    if (const char32_t small = small_letter(letter.code); letter.valid && small != letter.code) {
      std::string as_small;
      append_character(as_small, small);
      spelt.replace(at, letter.bytes, as_small);
    }
    at += letter.bytes;
  }
  return spelt;
}

bool is_path_of_windows(std::string_view path) {
  if (path.starts_with("\\\\")) return true;
  if (path.size() < 2 || path[1] != ':') return false;
  const char drive = lower_case(path[0]);
  return drive >= 'a' && drive <= 'z' && (path.size() == 2 || is_slash_of_windows(path[2]));
}

std::string windows_name_fault(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (const char* fault = part.empty() ? nullptr : fault_of_part(part))
      return fmt::format("'{}', which {}", part, fault);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return {};
}

}  // namespace seekless
