#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "packer/host/fence.h"
#include "packer/host/folder_lock.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

// Returns the process that holds the lock on the inode. In /proc/locks, a lock is a line such as
// "1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF", with the process 1234 and the inode 5678.
std::optional<int> holder_of(ino_t inode) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, way, access, process, file;
    if (!(words >> number >> kind >> way >> access >> process >> file) || kind != "FLOCK") continue;
    if (file.substr(file.rfind(':') + 1) != fmt::to_string(inode)) continue;
    int id = 0;
    std::from_chars(process.data(), process.data() + process.size(), id);
    if (id > 0) return id;
  }
  return std::nullopt;
}

// Returns a text such as "process 1234 (seekless build seekless.json)".
std::string describe_holder(ino_t inode) {
  const auto process = holder_of(inode);
  if (!process) return "another process";
  std::ifstream file(fmt::format("/proc/{}/cmdline", *process));
  std::string words;
  std::getline(file, words);
  constexpr size_t kMostBytes = 100;
  words.resize(std::min(words.size(), kMostBytes));
  for (char& c : words)
    if (c == '\0') c = ' ';
  while (words.ends_with(' ')) words.pop_back();
  return words.empty() ? fmt::format("process {}", *process)
                       : fmt::format("process {} ({})", *process, words);
}

}  // namespace

std::optional<int> FolderLock::holder(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? holder_of(status.st_ino) : std::nullopt;
}

Result<FolderLock> FolderLock::take(const std::string& path, const std::string& work) {
  const OpenFolder found = OpenFolder::open(path);
  if (!found.is_open()) return failed_call(path, "open", found.os_error());
  Descriptor folder(::openat(found.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return failed_call(path, "open", errno);
  while (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) break;
    struct stat status = {};
    ::fstat(folder.get(), &status);
    return failed({.file = path,
                   .expected = fmt::format("no other {} in this folder", work),
                   .found = describe_holder(status.st_ino),
                   .advice = "wait until it has ended"});
  }
  return FolderLock(std::move(folder));
}

}  // namespace seekless
