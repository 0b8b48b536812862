#include "packer/host/leftovers.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <signal.h>

#include "packer/host/files.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

// The process in ".seekless-1234-5.tmp", as PendingFile calls its files.
std::optional<pid_t> writer_of(std::string_view name) {
  constexpr std::string_view kFront = ".seekless-";
  if (!name.starts_with(kFront) || !name.ends_with(".tmp")) return std::nullopt;
  name.remove_prefix(kFront.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || process <= 0 || *end != '-') return std::nullopt;
  return process;
}

bool runs(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace

Result<void> remove_leftovers(const std::string& folder) {
  if (kind_of_path(folder) != PathKind::folder) return {};
  std::error_code error;
  std::vector<std::string> stale;
  fs::directory_iterator entries(folder, error);
  if (error) return failed_call(folder, "open", error.value());
  for (const fs::directory_entry& entry : entries) {
    const auto writer = writer_of(entry.path().filename().string());
    if (writer && !runs(*writer) && entry.is_regular_file(error))
      stale.push_back(entry.path().string());
  }
  for (const std::string& path : stale)
    if (auto removed = remove_file(path); !removed) return removed;
  return {};
}

}  // namespace seekless
