#include "packer/drive/read_ahead.h"

#include <optional>

#include <fmt/format.h>

#include "packer/drive/size.h"

namespace seekless {
namespace {

constexpr std::string_view kLinuxPrefix = "linux:";

}  // namespace

Result<ReadAhead> parse_read_ahead(std::string_view text) {
  if (text == "none") return kNoReadAhead;
  if (text == "windows") return kWindowsReadAhead;
  if (text == "linux") return ReadAhead{};
  if (!text.starts_with(kLinuxPrefix))
    return wrong_usage({.place = "read-ahead",
                        .expected = "none, linux, linux:SIZE or windows",
                        .found = fmt::format("'{}'", text)});
  const auto size = parse_size(text.substr(kLinuxPrefix.size()));
  if (!size || *size == 0 || *size % kPageBytes != 0 || *size > kMaxReadAheadBytes)
    return wrong_usage({.place = "read-ahead",
                        .expected = "whole pages of 4096 bytes, up to 64Mi",
                        .found = fmt::format("'{}'", text),
                        .advice = "write 128 * 1024 as 128Ki; 128K is 128,000"});
  return ReadAhead{ReadAheadStyle::linux_like, *size};
}

std::string to_string(const ReadAhead& read_ahead) {
  switch (read_ahead.style) {
    case ReadAheadStyle::none:
      return "none";
    case ReadAheadStyle::windows_like:
      return "windows";
    case ReadAheadStyle::linux_like:
      break;
  }
  return fmt::format("linux:{}Ki", read_ahead.max_bytes / 1024);
}

}  // namespace seekless
