// All that a game does with the library, one operation each, on content whose bytes are known: for
// programs that try what becomes of it when something runs out, or is counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <seekless.h>

// What is mounted, and what it should hold.
struct Content {
  // `folder` holds the files that were packed.
  Content(std::string mounted_path, const std::string& folder);
  std::string path;
  std::map<std::string, std::string> files;
};

// A context with the content mounted. Everything that isn't an answer of the library's is checked:
// a wrong byte, or a piece that comes twice or never, ends the program with a message.
class Game {
 public:
  Game(const Content& content, const skl_context_options& options);
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // The worst result of each, SKL_OK if nothing failed. What one of them begins, it ends.
  skl_result create_another();
  skl_result mount_and_unmount();
  skl_result look_up();
  skl_result read_whole();
  skl_result read_parts();
  skl_result queue_into_memory();
  skl_result queue_leases();
  skl_result cancel();
  // A sweep goes on after a failure; `gives_up` is called after some, and may make memory be there
  // again. In the end everything has come.
  skl_result sweep();
  // Each file by a stream; goes on after a failure, as a sweep does.
  skl_result stream();
  // A folder of its own that changes: that is told in the end, or that it isn't watched.
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
