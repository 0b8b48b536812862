#include "packer/serve/internal/refused_programs.h"

#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "packer/serve/internal/own_rights.h"

namespace seekless::serve {
namespace {

constexpr size_t kMostPrograms = 64;

std::string program_of(pid_t process) {
  std::array<char, 4096> path;
  const std::string link = fmt::format("/proc/{}/exe", process);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length <= 0 ? "" : std::string(path.data(), static_cast<size_t>(length));
}

}  // namespace

void RefusedPrograms::note(pid_t process) {
  const std::string program = program_of(process);
  if (program.empty()) return;
  const std::lock_guard lock(mutex_);
  if (found_.size() >= kMostPrograms || found_.contains(program)) return;
  const auto keeps = check_keeps_rights(program);
  found_[program] = keeps ? "" : keeps.error().message;
}

std::vector<std::string> RefusedPrograms::told() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [program, lost] : found_)
    if (!lost.empty()) lines.push_back("the folder refused something to a program: " + lost);
  return lines;
}

}  // namespace seekless::serve
