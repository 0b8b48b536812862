// Archives replaced where they lie, such that they can be brought back: the originals are kept in a
// folder beside them (kOriginalsFolder of content.h), with a journal of what was put in their
// places. At any moment the name of an archive leads to a whole one, old or new.
//
//   .seekless-originals/files/…   the originals, by their relative paths
//   .seekless-originals/new/…     new archives that aren't in place yet
//   .seekless-originals/journal   what was put where, the originals too: hash, bytes, time, path; a
//   line each .seekless-originals/lock      keeps a second run out
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"

namespace seekless {

// An archive that we put in place.
struct PutArchive {
  uint64_t hash = 0;  // XXH3-64 of the file
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
};

// A new archive, whole and flushed, that is to replace another one.
struct Replacement {
  std::string name;  // relative path
  uint64_t hash = 0;
  FileIdentity replaced;  // what it was made from
};

// Where the original of an archive is kept that was replaced in `home`; there may be none.
std::string original_of(const std::string& home, const std::string& name);

class Originals {
 public:
  // Makes the folder if need be, keeps other processes out, and clears away what a run that was
  // killed had not put in place. A fence stands around `home` from then on.
  static Result<Originals> open(const std::string& home);
  Originals(Originals&& other) noexcept;
  Originals& operator=(Originals&&) = delete;
  Originals(const Originals&) = delete;
  Originals& operator=(const Originals&) = delete;
  ~Originals();
  // Call it last: clears away what was not put in place, and nothing of an empty folder remains. An
  // error says what remains; the archives are as they should be. Without it, what can be cleared
  // away is.
  Result<void> close();

  // Whether an original of that name is kept already.
  bool has(const std::string& name) const;
  // Fails if the archive isn't what was put there last, so that the original that is kept is none
  // of it.
  Result<void> check_replaceable(const std::string& name) const;
  // Brings back archives that are missing, as a run that was killed leaves them on a file system
  // without hard links; an error says that there were some.
  Result<void> bring_back_missing() const;
  // Where to write the new archive; makes its folder.
  Result<std::string> stage(const std::string& name) const;
  // Fails, as damaged, if what is kept isn't what the archive was. A run of an earlier version
  // wrote no hash of it down: then a zip has to have its directory still.
  Result<void> check_kept(const std::string& name) const;
  // Puts all in place. If it is killed in its midst, some are and others aren't.
  Result<void> put_in_place(const std::vector<Replacement>& replacements);
  // Puts a new archive beside the others, whole, flushed, and checked by the caller; in the place
  // of an earlier one of that name, which isn't kept.
  Result<void> put_beside(const std::string& name) const;

 private:
  Originals(std::string home, Fence fence, FileLock lock);
  friend class Restorer;
  friend class Discarder;

  std::string folder() const;
  std::string kept(const std::string& name) const;
  Result<void> clear_unfinished() const;
  Result<void> clear_all() const;
  Result<void> drop_unreplaced() const;
  Result<void> read_journal();
  Result<void> write_journal() const;
  Result<bool> keep_original(const std::string& name) const;
  Result<std::vector<bool>> keep_originals(const std::vector<Replacement>& replacements) const;
  Result<void> check_unchanged(const std::vector<Replacement>& replacements) const;
  Result<void> note_original(const std::string& name);
  Result<void> check_unnoted(const std::string& name, const ByteSource& original) const;
  Result<std::vector<std::string>> lost_originals() const;
  Result<bool> is_ours(const std::string& name) const;

  std::string home_;
  Fence fence_;
  std::optional<FileLock> lock_;
  std::multimap<std::string, PutArchive> journal_;
};

struct RestoreReport {
  std::vector<std::string> restored = {};
  std::vector<std::string> unchanged = {};  // had not been replaced yet
  std::vector<std::string> set_aside = {};  // new names of what others had put there
  std::vector<std::string> lost = {};       // stay as they are, for want of a sound original
};

// Brings all originals back, and removes their folder; nothing is to be done if there is none. An
// archive that others have changed since is an error that names it, before anything is done; with
// `force` it gets another name. An original that isn't what it was, or is gone, is one, too, of
// kind damaged; with `force` its archive stays as it is, and so does what is kept of it.
Result<RestoreReport> restore_originals(const std::string& home, bool force);

struct KeptOriginals {
  std::vector<std::string> names = {};
  uint64_t size_bytes = 0;  // of all of them
};

// What is kept in a folder's originals; nothing if it has none.
Result<KeptOriginals> kept_originals(const std::string& home);

// Removes all originals, for good, once each archive in place is known to be whole: the very bytes
// that were put there. One that isn't, or is missing, is an error that names it, and nothing is
// removed. If it is killed in its midst, the originals that remain can be restored.
Result<KeptOriginals> discard_originals(const std::string& home);

}  // namespace seekless
