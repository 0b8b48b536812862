// Makes a change with the rights, groups and mask of the program that asked for it, as if it worked
// in the plain folder. So the file system itself decides what the program may do, whom new files
// belong to, and which rights they get.
#pragma once

#include "packer/serve/guarded_call.h"

namespace seekless::serve {

// Changes the calling thread's identity for as long as the object lives.
class AsCaller {
 public:
  enum class Rights : bool {
    asked,   // check now what the caller may do, including supplementary groups: some 20 us
    opened,  // the rights were checked when the file was opened
  };

  explicit AsCaller(fuse_req_t request, Rights rights = Rights::asked);
  ~AsCaller();
  AsCaller(const AsCaller&) = delete;
  AsCaller& operator=(const AsCaller&) = delete;

  // Returns 0, or an errno; then nothing may be done.
  int error() const { return error_; }

 private:
  void take_mask(const fuse_ctx& caller);
  void take_groups(fuse_req_t request);
  void become(uid_t user, gid_t group);

  int error_ = 0;
  bool is_other_ = false;
  bool has_other_groups_ = false;
};

// Notes a refusal by the system that the program's own rights might have avoided; the user is told
// at the end.
void note_refusal(fuse_req_t request);

// `change` returns a value below 0 and sets errno if it fails, as system calls do.
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
