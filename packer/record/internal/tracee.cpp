#include "packer/record/internal/tracee.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "packer/trace/file_calls.h"

namespace seekless {
namespace {

std::optional<std::string> link_at(const std::string& path) {
  std::array<char, PATH_MAX> name;
  const ssize_t length = ::readlink(path.c_str(), name.data(), name.size());
  if (length <= 0) return std::nullopt;
  const auto file = path_of_descriptor({name.data(), static_cast<size_t>(length)});
  return file ? std::optional<std::string>(*file) : std::nullopt;
}

// Returns the beginning of a file, 4 KiB at most; empty if it can't be read.
std::string text_at(const std::string& path) {
  std::string text(size_t{4096}, '\0');
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  const ssize_t got = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

// Returns the number after the name in "pos:\t1234"; 0 if there is none.
uint64_t number_behind(std::string_view text, std::string_view name) {
  size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  at = text.find_first_not_of(" \t", at + name.size());
  uint64_t number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

}  // namespace

std::optional<std::string> LinuxTracee::file_of(uint32_t thread, int32_t descriptor) {
  const std::string path = fmt::format("/proc/{}/fd/{}", thread, descriptor);
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return link_at(path);
}

std::optional<std::string> LinuxTracee::folder_of(uint32_t thread, int32_t descriptor) {
  return link_at(fmt::format("/proc/{}/fd/{}", thread, descriptor));
}

std::optional<std::string> LinuxTracee::working_folder(uint32_t thread) {
  return link_at(fmt::format("/proc/{}/cwd", thread));
}

uint64_t LinuxTracee::position_of(uint32_t thread, int32_t descriptor) {
  return number_behind(text_at(fmt::format("/proc/{}/fdinfo/{}", thread, descriptor)), "pos:");
}

std::vector<int32_t> LinuxTracee::descriptors(uint32_t thread) {
  std::vector<int32_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entries(fmt::format("/proc/{}/fd", thread), error), end;
       !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    int32_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::optional<uint64_t> LinuxTracee::read_number(uint32_t thread, uint64_t address) {
  uint64_t number = 0;
  const iovec to = {&number, sizeof(number)};
  const iovec from = {std::bit_cast<void*>(address), sizeof(number)};
  if (::process_vm_readv(static_cast<pid_t>(thread), &to, 1, &from, 1, 0) != sizeof(number))
    return std::nullopt;
  return number;
}

std::optional<std::string> LinuxTracee::read_string(uint32_t thread, uint64_t address) {
  constexpr size_t kPageBytes = 4096;
  std::string text;
  while (text.size() < PATH_MAX) {
    // Reads page by page, because the next page may not exist.
    const size_t count = kPageBytes - (address + text.size()) % kPageBytes;
    const size_t had = text.size();
    text.resize(had + count);
    const iovec to = {text.data() + had, count};
    const iovec from = {std::bit_cast<void*>(address + had), count};
    if (::process_vm_readv(static_cast<pid_t>(thread), &to, 1, &from, 1, 0) !=
        static_cast<ssize_t>(count))
      return std::nullopt;
    const size_t end = text.find('\0', had);
    if (end == std::string::npos) continue;
    text.resize(end);
    return text;
  }
  return std::nullopt;
}

ProgramImage image_of(uint32_t process) {
  ProgramImage image;
  const std::string path = fmt::format("/proc/{}/exe", process);
  image.path = link_at(path).value_or("");
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0)
    image.is_set_id = ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) ||
                      ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid());
  const std::string front = text_at(path);
  image.is_32_bit =
      front.starts_with(ELFMAG) && front.size() > EI_CLASS && front[EI_CLASS] == ELFCLASS32;
  return image;
}

Family family_of(uint32_t thread) {
  const std::string status = text_at(fmt::format("/proc/{}/status", thread));
  return {static_cast<uint32_t>(number_behind(status, "\nTgid:")),
          static_cast<uint32_t>(number_behind(status, "\nPPid:"))};
}

}  // namespace seekless
