#include "packer/trace/internal/block_line.h"

#include <optional>

#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

std::optional<uint64_t> parse_device(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto major = parse_whole_number(text.substr(0, comma));
  const auto minor = parse_whole_number(text.substr(comma + 1));
  if (!major || !minor || *major > UINT32_MAX || *minor > UINT32_MAX) return std::nullopt;
  return *major << 32 | *minor;
}

}  // namespace

bool split_block_line(std::string_view text, BlockLine& line) {
  const auto device = parse_device(take_word(text));
  const auto cpu = parse_whole_number(take_word(text));
  const auto sequence = parse_whole_number(take_word(text));
  const auto time_ns = parse_decimal_ns(take_word(text), kSecondNs);
  const auto process = parse_id(take_word(text));
  const std::string_view action = take_word(text);
  if (!device || !cpu || !sequence || !time_ns || !process || action.empty() || action.size() > 2)
    return false;
  line.device = *device;
  line.time_ns = *time_ns;
  line.process = *process;
  line.action = action.size() == 1 ? action.front() : '\0';  // "UT" is an unplug by time
  line.rwbs = take_word(text);
  const auto sector = parse_number(take_word(text));
  line.has_place = take_word(text) == "+";
  if (!line.has_place) return true;
  const auto sectors = parse_number(take_word(text));
  if (!sector || !sectors) return false;
  line.sector = *sector;
  line.sectors = *sectors;
  return true;
}

bool is_block_line(std::string_view text) {
  BlockLine line;
  return split_block_line(text, line);
}

bool is_block_summary(std::string_view text) {
  return text.starts_with("CPU") || text.starts_with("Total (") || text.starts_with("Events (") ||
         text.starts_with("Throughput (") || text.starts_with("Skips:") ||
         text.starts_with("Input file ") || (text.starts_with(' ') && text.find(": ") < 24);
}

bool recognise_blkparse(std::string_view front) {
  return !find_line(front, is_block_line).empty() && most_lines(front, [](std::string_view text) {
    return is_block_line(text) || is_block_summary(text);
  });
}

}  // namespace seekless
