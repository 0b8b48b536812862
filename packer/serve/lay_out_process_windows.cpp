#include "packer/serve/lay_out_process.h"

namespace seekless {

Result<void> start_laying_out(const std::vector<std::string>&) {
  return failed({.place = "--auto", .expected = "Linux", .found = "Windows"});
}

void be_laying_out() {}

void end_after(std::chrono::seconds) {}

std::optional<int> laying_out(const std::string&) {
  return std::nullopt;
}

void stop_laying_out(int) {}

}  // namespace seekless
