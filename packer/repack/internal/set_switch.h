// Replaces the files of a set, a directory and its parts, so that at any moment the directory in
// place names parts that hold what it says. Nobody can replace several files at once, but a
// directory may call its parts by any numbers:
//
//   1. The coming parts get spare names in place (pak01_003.vpk), which nothing mentions.
//   2. The coming directory, with these names, replaces the one in place.
//   3. The coming parts replace those in place, which nothing mentions now, as second names of
//      their files.
//   4. The coming directory, with their own names, replaces that of step 2.
//   5. The spare names are removed.
//
// Without hard links, a part is copied in step 3, and steps 3 to 5 are done for each part alone.
// The journal of originals.h lists spare names. So whoever opens the originals next finishes what
// was begun: from step 2 on forwards, before it backwards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/repack/originals.h"

namespace seekless {

// Describes a part, whole and flushed, that is to replace another one.
struct ComingPart {
  std::string name;  // relative path in place
  std::string path;  // where it lies now; it is moved away from there
  uint64_t hash = 0;
};

class SetSwitch {
 public:
  // `originals` must outlive it.
  explicit SetSwitch(Originals& originals) : originals_(originals) {}

  // A part that has a spare name has this key in the journal, and behind it its own name, a slash
  // and its spare file name.
  static std::string journal_front();

  // Does steps 1 and 2. `directory` is the relative path of the set's directory, `from` the coming
  // one, which stays where it is.
  Result<void> begin(const std::string& directory, const std::string& from,
                     const std::vector<ComingPart>& parts);
  // Does steps 3 to 5 for all sets that were begun.
  Result<void> finish();
  // Removes the spare names that no directory in place mentions.
  Result<void> clear();

 private:
  // Describes a part that has a spare name.
  struct SparePart {
    std::string key;    // in the journal
    std::string name;   // relative path in place
    std::string spare;  // relative path of its spare name
    PutArchive put;
  };

  std::vector<SparePart> spare_parts_of(const std::string& directory) const;
  std::vector<std::string> begun_sets() const;
  Result<std::vector<SparePart>> in_use(const std::string& directory) const;
  Result<void> finish_set(const std::string& directory);
  Result<size_t> put_in_place(std::span<const SparePart> parts) const;
  Result<bool> put_in_place(const SparePart& part, bool may_copy) const;
  Result<void> keep_replaced(const SparePart& part) const;
  Result<void> put_directory(const std::string& directory, const std::string& from,
                             std::span<const SparePart> parts, bool to_spare);
  Result<void> drop_unused(const SparePart& part) const;
  bool is_original(const SparePart& part) const;
  Result<bool> is_this(const std::string& path, const PutArchive& put) const;

  Originals& originals_;
};

}  // namespace seekless
