#include "packer/drive/size.h"

#include <charconv>
#include <system_error>

#include "packer/base/ascii.h"

namespace seekless {

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  if (!unit.empty() && lower_case(unit.back()) == 'b') unit.remove_suffix(1);
  if (unit.empty()) return value;
  constexpr std::string_view kPrefixes = "kmgt";
  const size_t power = kPrefixes.find(lower_case(unit.front()));
  if (power == std::string_view::npos) return std::nullopt;
  unit.remove_prefix(1);
  const bool is_binary = unit.size() == 1 && lower_case(unit.front()) == 'i';
  if (!unit.empty() && !is_binary) return std::nullopt;
  const uint64_t base = is_binary ? 1024 : 1000;
  for (size_t i = 0; i <= power; ++i)
    if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
  return value;
}

}  // namespace seekless
