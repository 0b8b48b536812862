// Finds out which packs of a build have to be written and why, and writes only those.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_set_writer.h"
#include "packer/project/build.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/asset_hashes.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_state.h"

namespace seekless {

// Holds the inputs of the packs. They must outlive the PackOutput.
struct PackOutputInput {
  const BuildFile& file;  // must have an output of packs
  const BuildOptions& options;
  const BuildState* state = nullptr;  // null if no earlier build is known
  const Layout& layout;
};

class PackOutput {
 public:
  // Decides which packs to write, and sets BuildOutcome::packs and removed_packs. Packs whose
  // stamps have changed are read. Hashes that are computed while writing go to `next`.
  static Result<PackOutput> decide(const PackOutputInput& input, NextState& next,
                                   BuildOutcome& outcome);

  // Finds out whether there is something to write, including the catalog, but doesn't write.
  Result<void> check();

  // Writes the packs. `before_commit` is called when everything is staged and no output is touched
  // yet.
  Result<SetUpdate> write(const BuildStages& stages,
                          const std::function<Result<void>(const SetUpdate&)>& before_commit);

  // Adds the packs to the next build's state, as staged or as in place.
  void add_packs(const SetUpdate& update, bool is_in_place) const;

 private:
  PackOutput(const PackOutputInput& input, NextState& next, BuildOutcome& outcome)
      : input_(input), next_(&next), outcome_(&outcome) {}

  uint32_t index_of(std::string_view path) const;
  std::optional<uint64_t> key_of(const LaidPack& pack) const;
  const KnownPack* known_pack(const std::string& name) const;
  std::string path_of(const std::string& name) const;
  std::optional<ChangeStamp> stamp_in_place(const std::string& name) const;

  void add_outcome(const LaidPack& pack);
  void note_removed_packs();
  std::vector<std::string> reasons_to_write(const LaidPack& pack, const std::string& name) const;
  std::vector<std::string> reasons_to_replace(uint64_t pack_id, const std::string& name) const;
  std::vector<std::string> reasons_of_content(const LaidPack& pack) const;
  bool is_whole(const std::string& name, uint64_t pack_id) const;

  Result<bool> is_catalog_current();
  uint64_t bytes_to_write() const;
  Result<void> take_hashes(const SetUpdate& update);

  PackOutputInput input_;
  NextState* next_;
  BuildOutcome* outcome_;
  uint64_t hash_seed_ = 0;
};

}  // namespace seekless
