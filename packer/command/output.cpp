#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/host/files.h"

namespace seekless {

void Output::add_option(CLI::App& command) {
  command.add_option("--json", json_path_, "Write the result as JSON to this file; '-' is stdout")
      ->type_name("FILE");
}

Output Output::collecting(std::vector<std::string>& warnings) {
  Output output;
  output.warnings_ = &warnings;
  return output;
}

void Output::line(std::string_view text) const {
  if (json_path_ == "-" || warnings_ != nullptr) return;
  const std::string safe = printable(text) + "\n";
  // If this fails, the stream remembers until main looks.
  (void)std::fwrite(safe.data(), 1, safe.size(), stdout);
}

void Output::warn(std::string_view text) const {
  if (warnings_ != nullptr) {
    warnings_->emplace_back(text);
    return;
  }
  fmt::print(stderr, "seekless: warning: {}\n", printable(text));
}

Result<void> Output::result(const Json& json) const {
  if (json_path_.empty()) return {};
  // Bytes that aren't UTF-8 come from foreign file names; JSON can't carry them as they are.
  return write_text(json_path_, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace {

// How many bytes from `at` make one character of UTF-8 that a terminal shows, 0 if none do: not
// what isn't UTF-8, nor the control characters from U+0080 to U+009F.
size_t shown_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte(at);
  const size_t count = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < count; ++i)
    if ((byte(at + i) & 0xc0U) != 0x80) return 0;
  const unsigned second = byte(at + 1);
  if (lead == 0xc2 && second < 0xa0) return 0;
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  return count;
}

}  // namespace

double megabytes(uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto code = static_cast<unsigned char>(text[i]);
    const bool is_plain = code < 0x80 && (code >= 0x20 || code == '\n') && code != 0x7f;
    const size_t count = is_plain ? 1 : shown_bytes(text, i);
    if (count == 0)
      out += fmt::format("\\x{:02x}", code);
    else
      out += text.substr(i, count);
    i += std::max<size_t>(count, 1);
  }
  return out;
}

}  // namespace seekless
