// Owns one FUSE mount, made with libfuse's low level, and the threads that take the kernel's calls.
// libfuse's own output is kept for messages.
#pragma once

#define FUSE_USE_VERSION 312

#include <string>
#include <vector>

#include <fuse_lowlevel.h>

#include "packer/base/error.h"

namespace seekless::serve {

// Each read that waits for the disk, or for its turn, holds a thread.
inline constexpr unsigned kMostThreads = 64;

// Lifts libfuse's limit of 12 background calls, so that one read-ahead doesn't wait for another.
void allow_many_calls(fuse_conn_info& connection);

class FuseSession {
 public:
  // `options` are the words after a program's name: "-o", "allow_other". `user` is passed to the
  // calls.
  FuseSession(const fuse_lowlevel_ops& calls, void* user, const std::vector<std::string>& options);
  ~FuseSession();
  FuseSession(const FuseSession&) = delete;
  FuseSession& operator=(const FuseSession&) = delete;

  // Mounts over a folder, or takes a device that is already mounted, by its name "/dev/fd/N".
  Result<void> mount(const std::string& place);
  // Makes SIGINT, SIGTERM and SIGHUP end take_calls() from then on.
  void be_ended_by_signals();
  // Tells the kernel that its cached size and times of a file are outdated. Also works while the
  // kernel waits for an answer about the file.
  void tell_changed(fuse_ino_t file);
  // Takes calls with at most `most_threads` threads until the folder is unmounted. Returns 0, or a
  // negated errno.
  int take_calls(unsigned most_threads = kMostThreads);
  // Returns true once the folder is unmounted, or the session has failed.
  bool is_unmounted() const;

 private:
  std::string place_;
  fuse_session* session_ = nullptr;
  bool is_mounted_ = false;
  bool hears_signals_ = false;
};

}  // namespace seekless::serve
