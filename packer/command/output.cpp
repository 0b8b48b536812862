#include <cstdio>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/host/files.h"

namespace seekless {

void Output::add_option(CLI::App& command) {
  command.add_option("--json", json_path_, "Write the result as JSON to this file; '-' is stdout")
      ->type_name("FILE");
}

void Output::line(std::string_view text) const {
  if (json_path_ == "-") return;
  const std::string safe = printable(text) + "\n";
  // If this fails, the stream remembers until main looks.
  (void)std::fwrite(safe.data(), 1, safe.size(), stdout);
}

void Output::warn(std::string_view text) const {
  fmt::print(stderr, "seekless: warning: {}\n", printable(text));
}

Result<void> Output::result(const Json& json) const {
  if (json_path_.empty()) return {};
  // Bytes that aren't UTF-8 come from foreign file names; JSON can't carry them as they are.
  return write_text(json_path_, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f)
      out += fmt::format("\\x{:02x}", code);
    else
      out += c;
  }
  return out;
}

}  // namespace seekless
