// Makes a change as whoever asked for it would in the plain folder: with their rights, their groups
// and their mask. So the file system itself decides what they may do, whom new files belong to, and
// which rights these have.
#pragma once

#include "packer/serve/guarded_call.h"

namespace seekless::serve {

// For this thread, as long as it lives.
class AsCaller {
 public:
  enum class Rights : bool {
    asked,   // what the caller may do is decided now, by their other groups, too: some 20 us
    opened,  // it was decided when the file was opened
  };

  explicit AsCaller(fuse_req_t request, Rights rights = Rights::asked);
  ~AsCaller();
  AsCaller(const AsCaller&) = delete;
  AsCaller& operator=(const AsCaller&) = delete;

  // 0, or an errno: then nothing may be done.
  int error() const { return error_; }

 private:
  void take_mask(const fuse_ctx& caller);
  void take_groups(fuse_req_t request);
  void become(uid_t user, gid_t group);

  int error_ = 0;
  bool is_other_ = false;
  bool has_other_groups_ = false;
};

// Where the system refuses what it may allow to a program with its own rights, which is told then.
void note_refusal(fuse_req_t request);

// `change` answers as calls of the system do: below 0, and errno.
template <typename Change>
auto as_caller(fuse_req_t request, Change&& change) -> decltype(change()) {
  const AsCaller caller(request);
  if (caller.error() != 0) {
    errno = caller.error();
    return -1;
  }
  const auto done = change();
  if (done < 0 && (errno == EACCES || errno == EPERM)) note_refusal(request);
  return done;
}

}  // namespace seekless::serve
