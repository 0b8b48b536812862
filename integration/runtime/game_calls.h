// All operations of a game on the library, on content with known bytes. Programs use them to test
// what happens when memory or threads run out, or to count allocations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <seekless.h>

// A mounted path, and the content that it should have.
struct Content {
  // `folder` holds the files that were packed.
  Content(std::string mounted_path, const std::string& folder);
  std::string path;
  std::map<std::string, std::string> files;
};

// A context with the content mounted. It checks everything but the library's error codes: a wrong
// byte, or a piece that comes twice or never, ends the program with a message.
class Game {
 public:
  Game(const Content& content, const skl_context_options& options);
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // These return the worst result, SKL_OK if nothing failed. Each ends everything that it begins.
  skl_result create_another();
  skl_result mount_and_unmount();
  skl_result look_up();
  skl_result read_whole();
  skl_result read_parts();
  skl_result queue_into_memory();
  skl_result queue_leases();
  skl_result cancel();
  // Runs a sweep that continues after failures. `gives_up` is called after some of them, and may
  // make memory available again. In the end all assets must have been delivered.
  skl_result sweep();
  // Reads each file by a stream; continues after a failure, as a sweep does.
  skl_result stream();
  // Changes a separate folder. In the end the library must report the change, or that the folder
  // isn't watched.
  skl_result watch();
  skl_result prefetch();
  skl_result record();
  skl_result leave_everything_open();

  void (*gives_up)() = nullptr;
  std::string trace;  // a file to record into

 private:
  struct File {
    std::string name;
    skl_asset asset;
    const std::string* bytes;
  };
  class Worst;

  skl_result queue(bool lends);
  void take(const skl_completion& completion, const std::vector<std::string>& destinations,
            Worst& worst) const;
  void take(const skl_lease& lease, std::map<skl_asset, std::string>& got) const;
  const File& file(skl_asset asset) const;

  const Content& content_;
  const skl_context_options options_;
  skl_context* context_ = nullptr;
  std::vector<File> files_;
};

[[noreturn]] void fail(const std::string& message);
