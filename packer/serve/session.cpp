#include "packer/serve/session.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/serve/fuse_session.h"
#include "packer/serve/internal/calls.h"

namespace seekless {
namespace {

// Each page of a file that is mapped or read in small pieces is then a call of its own.
constexpr unsigned kExactReadAheadBytes = 0;
// What is read ahead is learned as if the game needed it, and fetched ever after: of an archive of
// small entries that is more than the entries. Originals are read ahead further by themselves.
constexpr unsigned kReadAheadBytes = 32 << 10;

void on_start(void* user, fuse_conn_info* connection) {
  const auto& served = *static_cast<const serve::Served*>(user);
  connection->max_readahead =
      std::min(connection->max_readahead,
               served.reader.wants_exact_reads() ? kExactReadAheadBytes : kReadAheadBytes);
  connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
  // Rights are taken off by the original's file system: those of new files by the caller's mask,
  // and what made a file run as somebody else once it is written (libfuse 3.14 doesn't tell the
  // kernel).
  connection->want |= connection->capable & (FUSE_CAP_DONT_MASK | FUSE_CAP_HANDLE_KILLPRIV);
  // Where others than the player use it, the kernel decides who may go on from folder to folder, by
  // their lists, too: it asks for names only once.
  if (served.is_root) connection->want |= connection->capable & FUSE_CAP_POSIX_ACL;
  // What the game writes is the truth at once.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_WRITEBACK_CACHE);
  serve::allow_many_calls(*connection);
}

fuse_lowlevel_ops make_calls() {
  fuse_lowlevel_ops calls = {};
  calls.init = on_start;
  serve::add_name_calls(calls);
  serve::add_folder_calls(calls);
  serve::add_file_calls(calls);
  serve::add_attribute_calls(calls);
  return calls;
}

void allow_most(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(resource, &limit);
}

// Each process of the game may have as many files open as this one may, and all of them are open
// here.
void allow_many_descriptors() {
  constexpr rlim_t kPlenty = 1 << 16;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlimit more = {.rlim_cur = kPlenty, .rlim_max = kPlenty};
  if (limit.rlim_max < kPlenty && ::setrlimit(RLIMIT_NOFILE, &more) == 0) return;  // root's
  allow_most(RLIMIT_NOFILE);
}

}  // namespace

Result<void> check_can_serve(const std::string&) {
  return {};
}

Result<std::vector<std::string>> serve_folder(const ServedFolder& folder, FileReader& reader) {
  allow_many_descriptors();
  allow_most(RLIMIT_FSIZE);  // the kernel holds the game to its own
  serve::Served served(folder.folder, reader);
  served.is_root = folder.is_root;
  served.user = ::geteuid();
  served.group = ::getegid();
  serve::FuseSession session(make_calls(), &served, {});
  served.session = &session;
  // libfuse takes a device that is mounted already by this name.
  if (auto taken = session.mount(fmt::format("/dev/fd/{}", folder.device)); !taken)
    return std::unexpected(taken.error());
  const int ended = session.take_calls();
  if (ended < 0) return failed_call(folder.path, "take calls from FUSE", -ended);
  return served.refused.told();
}

}  // namespace seekless
