#include "packer/serve/session.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/serve/calls.h"
#include "packer/serve/fuse_session.h"

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

// Each folder that the game has looked into is held open.
void allow_many_descriptors() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<void> check_can_serve(const std::string&) {
  return {};
}

Result<void> serve_folder(const ServedFolder& folder, FileReader& reader) {
  allow_many_descriptors();
  ::umask(0);  // the kernel has taken off what the game's own mask takes off
  serve::Served served(folder.folder, reader);
  served.is_root = folder.is_root;
  served.user = ::geteuid();
  served.group = ::getegid();
  serve::FuseSession session(make_calls(), &served, {});
  // libfuse takes a device that is mounted already by this name.
  if (auto taken = session.mount(fmt::format("/dev/fd/{}", folder.device)); !taken) return taken;
  const int ended = session.take_calls();
  if (ended < 0) return failed_call(folder.path, "take calls from FUSE", -ended);
  return {};
}

}  // namespace seekless
