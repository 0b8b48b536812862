// One mount of FUSE by libfuse's low level, and the threads that take the kernel's calls. What
// libfuse would print is kept for messages.
#pragma once

#define FUSE_USE_VERSION 312

#include <string>
#include <vector>

#include <fuse_lowlevel.h>

#include "packer/base/error.h"

namespace seekless::serve {

// Reads that wait for the disk, or for their turn, each hold a thread.
inline constexpr unsigned kMostThreads = 64;

// Reading ahead isn't to wait for reading ahead: libfuse's own limit is 12 calls.
void allow_many_calls(fuse_conn_info& connection);

class FuseSession {
 public:
  // `options` as after a program's name: "-o", "allow_other". `user` is what the calls get.
  FuseSession(const fuse_lowlevel_ops& calls, void* user, const std::vector<std::string>& options);
  ~FuseSession();
  FuseSession(const FuseSession&) = delete;
  FuseSession& operator=(const FuseSession&) = delete;

  // Over a folder, or onto a device that is mounted already, by its name "/dev/fd/N".
  Result<void> mount(const std::string& place);
  // SIGINT, SIGTERM and SIGHUP end take_calls() from then on.
  void be_ended_by_signals();
  // What the kernel knows of a file's size and times is old: it asks again. While it waits for an
  // answer about the file, too.
  void tell_changed(fuse_ino_t file);
  // Until it is unmounted. Returns 0, or an errno below 0.
  int take_calls();

 private:
  std::string place_;
  fuse_session* session_ = nullptr;
  bool is_mounted_ = false;
  bool hears_signals_ = false;
};

}  // namespace seekless::serve
