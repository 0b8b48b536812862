// What `seekless play` does in the process that serves: the recording, and marks from other shells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/record/recording.h"
#include "packer/serve/keeper.h"

namespace seekless {

struct PlaySettings {
  std::string folder;  // absolute
  std::vector<std::string> command;
  std::string trace;     // empty: none is written
  std::string scenario;  // of the trace; may be empty
};

class PlayServer final : public FolderServer {
 public:
  explicit PlayServer(PlaySettings settings) : settings_(std::move(settings)) {}
  Result<void> prepare() override;
  Result<std::string> serve(const ServedFolder& served) override;

 private:
  Result<std::string> serve_recorded(const ServedFolder& served, FileReader& reader);

  PlaySettings settings_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace seekless
