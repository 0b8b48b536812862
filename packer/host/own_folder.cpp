#include "packer/host/own_folder.h"

#include <cerrno>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/host/calls.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "packer/host/pending_file.h"

namespace seekless {

Result<std::string> state_place(const std::string& command, const std::string& place) {
  if (!place.empty()) return place;
  const std::string own = state_folder();
  if (own.empty())
    return failed({.place = command,
                   .expected = "a home folder, to keep in it what is remembered of the game",
                   .found = "none",
                   .advice = "name a place with --state"});
  return own + "/" + command;
}

std::string state_name(const std::string& folder) {
  Hasher64 hasher;
  add_text(hasher, folder);
  return fmt::format("{}-{:016x}", file_name(folder), hasher.digest());
}

Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder) {
  const auto above = state_place(command, place);
  if (!above) return above;
  SKL_TRY_DO(make_own_folders(*above));
  return canonical_path(*above) + "/" + state_name(folder);
}

Result<std::string> read_own_text(const std::string& path, uint64_t limit_bytes) {
  SKL_TRY(const auto file, open_own_file(path));
  std::string text;
  calls::Status status;
  if (!calls::look_at(file.get(), status)) return failed_call(path, "look at", errno);
  if (status.size_bytes > limit_bytes)
    return damaged({.file = path,
                    .expected = fmt::format("at most {} bytes", limit_bytes),
                    .found = fmt::format("{} bytes", status.size_bytes)});
  text.resize(status.size_bytes);
  for (size_t done = 0; done < text.size();) {
    const int64_t got = calls::read_at(file.get(), text.data() + done, text.size() - done, done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed_call(path, fmt::format("read at byte {}", done), errno);
    if (got == 0) text.resize(done);  // the file was just truncated; the parser will notice
    done += static_cast<size_t>(got);
  }
  return text;
}

Result<void> write_own_text(const std::string& path, std::string_view text, bool durable) {
  SKL_TRY(auto file, PendingFile::create_own(path));
  SKL_TRY_DO(file.append(text));
  return file.commit(durable);
}

}  // namespace seekless
