#include "packer/serve/session.h"

#include <array>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/serve/calls.h"

namespace seekless {
namespace {

// Reads that wait for the disk, or for their turn, each hold a thread.
constexpr unsigned kMostThreads = 64;

void on_start(void*, fuse_conn_info* connection) {
  connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
  // What the game writes is the truth at once.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_WRITEBACK_CACHE);
  // Reading ahead isn't to wait for reading ahead: the default is 12.
  connection->max_background = kMostThreads;
  connection->congestion_threshold = kMostThreads * 3 / 4;
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

class Session {
 public:
  Session(serve::Served& served, int device) {
    const fuse_lowlevel_ops calls = make_calls();
    std::array<char*, 1> words = {name_.data()};
    fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(words.size()), words.data());
    session_ = fuse_session_new(&arguments, &calls, sizeof(calls), &served);
    // libfuse takes a device that is mounted already by this name.
    const std::string mounted = fmt::format("/dev/fd/{}", device);
    is_there_ = session_ != nullptr && fuse_session_mount(session_, mounted.c_str()) == 0;
  }
  ~Session() {
    if (session_ != nullptr) fuse_session_destroy(session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool is_there() const { return is_there_; }
  int take_calls() {
    fuse_loop_config* config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_max_threads(config, kMostThreads);
    const int ended = fuse_session_loop_mt(session_, config);
    fuse_loop_cfg_destroy(config);
    return ended;
  }

 private:
  std::string name_ = "seekless";
  fuse_session* session_ = nullptr;
  bool is_there_ = false;
};

}  // namespace

bool can_serve() {
  return true;
}

Result<void> serve_folder(const ServedFolder& folder, FileReader& reader) {
  allow_many_descriptors();
  ::umask(0);  // the kernel has taken off what the game's own mask takes off
  serve::Served served(folder.folder, reader);
  served.is_root = folder.is_root;
  served.user = ::geteuid();
  served.group = ::getegid();
  Session session(served, folder.device);
  if (!session.is_there())
    return failed({.file = folder.path,
                   .expected = "that libfuse takes the mounted folder",
                   .found = "a refusal"});
  const int ended = session.take_calls();
  if (ended < 0) return failed_call(folder.path, "take calls from FUSE", -ended);
  return {};
}

}  // namespace seekless
