#include "packer/trace/file_calls.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace seekless {

Result<bool> FileCalls::emit(Event& event, uint64_t offset_bytes, int64_t length_bytes) {
  const auto length = static_cast<uint64_t>(length_bytes);
  if (length_bytes < 0 || offset_bytes > kPlaceLimitBytes ||
      length > kPlaceLimitBytes - offset_bytes)
    return false;
  event.offset_bytes = offset_bytes;
  event.length_bytes = length;
  SKL_TRY_DO(window_.add(event));
  return true;
}

Result<bool> FileCalls::read(OpenDescription& file, std::optional<uint64_t> offset_bytes,
                             int64_t length_bytes, Event& event) {
  event.path = file.path;
  event.kind = EventKind::read;
  auto emitted = emit(event, offset_bytes.value_or(file.position_bytes), length_bytes);
  if (emitted && *emitted && (!offset_bytes || file.moves_always))
    file.position_bytes = event.offset_bytes + event.length_bytes;
  return emitted;
}

Result<bool> FileCalls::map(const OpenDescription& file, int64_t offset_bytes, int64_t length_bytes,
                            Event& event) {
  if (offset_bytes < 0) return false;
  event.path = file.path;
  event.kind = EventKind::map;
  return emit(event, static_cast<uint64_t>(offset_bytes), length_bytes);
}

Result<bool> FileCalls::open(DescriptorTable& files, std::string_view path,
                             std::optional<int32_t> descriptor, int32_t os_error,
                             bool is_for_reading, Event& event) {
  if (!descriptor && !is_for_reading) return true;
  SKL_TRY(const auto number, number_of(path));
  if (descriptor)
    files.set(*descriptor, std::make_shared<OpenDescription>(OpenDescription{number, 0}));
  if (!is_for_reading) return true;
  event.path = number;
  event.kind = EventKind::open;
  event.os_error = descriptor ? 0 : os_error;
  return emit(event, 0, 0);
}

Result<std::shared_ptr<OpenDescription>> FileCalls::adopt(DescriptorTable& files,
                                                          int32_t descriptor, std::string_view path,
                                                          uint64_t position_bytes) {
  SKL_TRY(const auto number, number_of(path));
  auto file = std::make_shared<OpenDescription>(OpenDescription{number, position_bytes});
  files.set(descriptor, file);
  return file;
}

Result<uint32_t> FileCalls::number_of(std::string_view path) {
  const auto [number, is_new] = numbers_.number_of(path);
  if (!is_new) return number;
  stored_bytes_ += path.size();
  SKL_TRY_DO(sink_.add_path(path));
  return number;
}

std::optional<std::string_view> path_of_descriptor(std::string_view name) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (!name.starts_with('/')) return std::nullopt;
  if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
  // These names look like files, but lie in no folder.
  const bool is_none = name.starts_with("/memfd:") || name.starts_with("/anon_hugepage") ||
                       name.starts_with("/SYSV") || name.starts_with("/[");
  return is_none ? std::nullopt : std::optional(name);
}

std::string without_dots(std::string_view path) {
  std::string clean;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      clean.resize(std::min(clean.size(), clean.rfind('/')));
      continue;
    }
    clean += '/';
    clean += part;
  }
  return clean.empty() ? "/" : clean;
}

}  // namespace seekless
