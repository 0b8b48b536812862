// The process that serves, as the one that keeps watch over it sees it: started, asked whether it
// is ready, given the device, watched, and heard at its end.
#pragma once

#include <atomic>
#include <string>

#include <sys/types.h>

#include "packer/serve/keeper.h"

namespace seekless {

// A number that the server counts up several times a second while it is alive.
class Heartbeat {
 public:
  Heartbeat();
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  // Null if there was no memory for it; then nothing is watched.
  std::atomic<uint64_t>* count = nullptr;
};

class ServerProcess {
 public:
  ServerProcess() = default;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  // Forks. Returns once the server is ready, or says why it isn't.
  Result<void> start(const KeptProgram& program, FolderServer& server);
  Result<void> hand_over(const Descriptor& device, bool is_root);

  // Where nothing is to be served after all. Returns once it has ended.
  void give_up();

  pid_t process() const { return process_; }
  bool has_ended() const { return has_ended_; }
  void note_ended() { has_ended_ = true; }
  // What it says until its end.
  Result<std::string> hear();
  // Wakes a server that was stopped, ends one that does nothing at all. To be called every second.
  void watch();

 private:
  ssize_t receive(char* into, size_t length);

  pid_t process_ = -1;
  bool has_ended_ = false;
  int socket_ = -1;
  Heartbeat heartbeat_;
  uint64_t last_count_ = 0;
  int silent_seconds_ = 0;
};

}  // namespace seekless
