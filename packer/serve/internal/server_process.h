// Controls the process that serves, for the process that watches over it: starts it, asks whether
// it is ready, hands it the device, watches it, and hears its result.
#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

#include "packer/serve/keeper.h"

namespace seekless {

// Tells a server that nobody waits any longer. The server ignores it until note_end_of_watch():
// what was learned is stored first.
constexpr int kHurry = SIGTERM;

// A counter that the server increments several times a second while it is alive.
class Heartbeat {
 public:
  Heartbeat();
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  // Null if there was no memory for it; then the server isn't watched.
  std::atomic<uint64_t>* count = nullptr;
};

class ServerProcess {
 public:
  ServerProcess() = default;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  // Forks. Returns once the server is ready, or says why it isn't.
  Result<void> start(const std::vector<ServedFolder>& folders, FolderServer& server);
  // Hands over the device of the folder at this index, which is mounted.
  Result<void> hand_over(size_t folder, const Descriptor& device);
  // Makes the server begin, with the folders whose devices it got.
  Result<void> begin(bool is_root);

  // Tells the server that the program has ended.
  void end() const;
  // Ends the server if nothing is to be served after all.
  void give_up();

  pid_t process() const { return process_; }
  bool has_ended() const { return has_ended_; }
  void note_ended() { has_ended_ = true; }
  // Returns what the server says until its end. If this process is interrupted, tells the server,
  // and waits only for a few seconds more.
  Result<std::string> hear();
  // Wakes a server that was stopped, and ends one that does nothing at all. Call this every second.
  void watch();
  // Waits until the server has ended. It ends at once after its answer, or killed, unless one of
  // its calls waits for another machine, which may never answer. The system then ends it later.
  void wait_for_end() const;
  // Makes watch() end the server after this many calls, in whatever state; 0: never.
  void limit(int seconds) { seconds_left_ = seconds; }
  // Kills the server, whatever it is doing. hear() then returns, even if a call to another machine
  // keeps the process from ending.
  void kill();

 private:
  ssize_t receive(char* into, size_t length);
  // Returns what the server sends until it closes the socket, or doesn't end in time.
  std::string read_all();
  void hurry();

  pid_t process_ = -1;
  bool has_ended_ = false;
  int socket_ = -1;
  Heartbeat heartbeat_;
  uint64_t last_count_ = 0;
  int silent_seconds_ = 0;
  int seconds_left_ = 0;
  bool was_killed_ = false;
  bool is_hurrying_ = false;
  int hurried_seconds_ = 0;
};

}  // namespace seekless
