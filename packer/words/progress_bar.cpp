#include "packer/words/progress_bar.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr size_t kBarColumns = 24;

}  // namespace

std::string progress_bar(const std::string& what, uint64_t done_bytes, uint64_t total_bytes,
                         double seconds) {
  const double share =
      std::min(1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
  const auto filled = static_cast<size_t>(share * kBarColumns);
  const double rate = static_cast<double>(done_bytes) / seconds;
  const double left =
      rate > 0 ? static_cast<double>(total_bytes - std::min(done_bytes, total_bytes)) / rate : 0;
  return fmt::format("{} [{:-<{}}] {:3.0f} %  {:.0f} MB/s  {:.0f} s left", what,
                     std::string(filled, '#'), kBarColumns, share * 100, rate / 1e6, left);
}

}  // namespace seekless
