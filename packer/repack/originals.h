// Replaces archives in place, so that they can be brought back. The originals are kept in a folder
// beside them (kOriginalsFolder of content.h), with a journal of the files put in their places. At
// any moment the name of an archive leads to a whole one, old or new.
//
// Of a set (content.h), only the directory is replaced. New parts are put beside it before, and are
// removed again once neither the directory in place nor its original names them.
//
//   .seekless-originals/files/…   the originals, by their relative paths
//   .seekless-originals/new/…     new archives that aren't in place yet
//   .seekless-originals/journal   archives put in place, originals, and parts that were added to
//                                 sets, one a line: hash, bytes, time, path. It remains as long as
//                                 there are such parts, because they may have to go later
//   .seekless-originals/lock      keeps a second run out
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"
#include "packer/repack/rewrite_zip.h"

namespace seekless {

// Describes an archive that we put in place.
struct PutArchive {
  uint64_t hash = 0;  // XXH3-64 of the file
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
};

// Describes a new archive, whole and flushed, that is to replace another one.
struct Replacement {
  std::string name;  // relative path
  uint64_t hash = 0;
  FileIdentity replaced;              // the file that the new archive was made from
  std::vector<AddedFile> added = {};  // new parts beside it
};

// Returns where the original of an archive in `home` is kept. It may not exist.
std::string original_of(const std::string& home, const std::string& name);

// Says what happens to a part that we added to a set.
enum class PartFate : uint8_t {
  keep,    // it may be needed
  forget,  // it is gone, or an update has put its own there
  leave,   // nothing needs it, but somebody changed it
  remove,
};

class Originals {
 public:
  // Makes the folder if needed, keeps other processes out, and removes files that a killed run
  // hadn't put in place. From then on a fence protects `home`.
  static Result<Originals> open(const std::string& home);
  Originals(Originals&& other) noexcept;
  Originals& operator=(Originals&&) = delete;
  Originals(const Originals&) = delete;
  Originals& operator=(const Originals&) = delete;
  ~Originals();
  // Must be called last. Removes everything that was not put in place, and the folder if nothing in
  // it is needed any more. An error says what remains; the archives are right in any case. Without
  // this call, the destructor removes what it can.
  Result<void> close();

  // Returns true if an original of that name is kept already.
  bool has(const std::string& name) const;
  // Fails if the file in place is neither the original nor our archive, because the kept original
  // then belongs to another one.
  Result<void> check_replaceable(const std::string& name) const;
  // Brings back missing archives. A killed run can leave some missing on a file system without hard
  // links. Returns an error if there were any.
  Result<void> bring_back_missing() const;
  // Returns where to write the new archive, and makes its folder.
  Result<std::string> stage(const std::string& name) const;
  // Fails with kind `damaged` if the kept original has changed. If the journal has no hash of it,
  // as after a run of an earlier version, a zip must at least still have its directory.
  Result<void> check_kept(const std::string& name) const;
  // Puts all archives in place. If the process is killed midway, some are replaced and others
  // aren't.
  Result<void> put_in_place(const std::vector<Replacement>& replacements);
  // Returns the names of the parts that were added to a set and are still there as we wrote them.
  std::vector<std::string> added_to(const std::string& name) const;
  // Returns false if the kept original isn't what the journal says. Needs no lock.
  static Result<bool> has_sound_original(const std::string& home, const std::string& name);
  // Returns the same as added_to(), but doesn't compare the parts' bytes, and needs no lock.
  static Result<std::vector<std::string>> noted_parts(const std::string& home,
                                                      const std::string& name);
  // Puts a new archive beside the others; the caller has made it whole, flushed it and checked it.
  // It replaces an earlier one of that name, which isn't kept.
  Result<void> put_beside(const std::string& name) const;

 private:
  Originals(std::string home, Fence fence, FileLock lock);
  friend class Restorer;
  friend class Discarder;

  std::string folder() const;
  std::string kept(const std::string& name) const;
  Result<void> clear_unfinished() const;
  Result<void> clear_all();
  Result<void> drop_unreplaced() const;
  Result<void> write_journal() const;
  Result<bool> keep_original(const std::string& name) const;
  Result<std::vector<bool>> keep_originals(const std::vector<Replacement>& replacements) const;
  Result<void> check_unchanged(const std::vector<Replacement>& replacements) const;
  Result<void> note_original(const std::string& name);
  Result<void> check_unnoted(const std::string& name, const ByteSource& original) const;
  Result<std::vector<std::string>> lost_originals() const;
  Result<bool> is_ours(const std::string& name) const;
  Result<bool> is_as_noted(const std::string& path, const std::string& key) const;
  bool has_noted_time(const std::string& path, const std::string& key) const;
  // Returns another folder, in this one or around it, that put the archive there which is in place,
  // and keeps its original; empty if there is none.
  std::string other_home_of(const std::string& name) const;
  static bool has_put(const std::string& home, const std::string& name);
  Result<bool> is_like_original(const std::string& name) const;
  bool is_set(const std::string& name) const;
  bool is_of_set(const std::string& key) const;
  Result<void> put_added(const std::vector<Replacement>& replacements);
  bool is_needed(const std::string& name, const std::string& part) const;
  // Returns all folders that may keep an original of the archive, with its name in them.
  std::vector<std::pair<std::string, std::string>> possible_homes(const std::string& name) const;
  bool may_be_named_by_originals(const std::string& name, const std::string& part) const;
  Result<PartFate> fate_of_part(const std::string& key) const;
  Result<void> drop_unneeded_parts();

  using Journal = std::multimap<std::string, PutArchive>;
  static Result<Journal> read_journal(const std::string& home);
  // Returns the lines whose keys begin with `front`.
  std::ranges::subrange<Journal::const_iterator> lines_with(const std::string& front) const;

  std::string home_;
  Fence fence_;
  std::optional<FileLock> lock_;
  Journal journal_;
  std::vector<std::string> changed_parts_;  // added parts that others changed, so that they stay
};

struct RestoreReport {
  std::vector<std::string> restored = {};
  std::vector<std::string> unchanged = {};  // archives that aren't replaced yet
  std::vector<std::string> set_aside = {};  // new names of files that others had put in place
  // Sets whose originals may not fit the parts any more, because of an update. What is in place
  // stays, and the original gets this new name.
  std::vector<std::string> outdated = {};
  std::vector<std::string> changed_parts = {};  // parts that we added and others changed; they stay
  // Archives left as they are, because a sound original is missing.
  std::vector<std::string> lost = {};
};

// Brings all originals back and removes their folder. Does nothing if there is none. If others have
// changed an archive since, this fails with its name before anything is done; with `force` the
// archive is renamed instead, or stays if it is the directory of a set. If an original is gone or
// has changed, this fails with kind `damaged`; with `force` its archive and the kept file stay as
// they are.
Result<RestoreReport> restore_originals(const std::string& home, bool force);

struct KeptOriginals {
  std::vector<std::string> names = {};
  uint64_t size_bytes = 0;  // total size
};

// Describes the originals that are kept in a folder; nothing if it has none.
Result<KeptOriginals> kept_originals(const std::string& home);

// Removes all originals permanently, after checking that each archive in place holds exactly the
// bytes that were written. If one differs, or is missing, returns an error that names it and
// removes nothing. If the process is killed midway, the remaining originals can be restored.
Result<KeptOriginals> discard_originals(const std::string& home);

}  // namespace seekless
