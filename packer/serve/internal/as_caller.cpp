#include "packer/serve/internal/as_caller.h"

#include <algorithm>
#include <vector>

#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packer/serve/internal/calls.h"

namespace seekless::serve {
namespace {

// Returns the groups of this process, which never change.
const std::vector<gid_t>& own_groups() {
  static const std::vector<gid_t> groups = [] {
    std::vector<gid_t> gids(static_cast<size_t>(std::max(0, ::getgroups(0, nullptr))));
    gids.resize(
        static_cast<size_t>(std::max(0, ::getgroups(static_cast<int>(gids.size()), gids.data()))));
    return gids;
  }();
  return groups;
}

std::vector<gid_t> groups_of(fuse_req_t request) {
  std::vector<gid_t> groups(32);
  for (;;) {
    const int count = fuse_req_getgroups(request, static_cast<int>(groups.size()), groups.data());
    const bool fits = count <= static_cast<int>(groups.size());
    // The count is below 0 if the caller has ended meanwhile.
    groups.resize(static_cast<size_t>(std::max(0, count)));
    if (fits) return groups;
  }
}

// Changes the groups of this thread only; glibc's own function would change those of all threads.
bool set_groups(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

}  // namespace

AsCaller::AsCaller(fuse_req_t request, Rights rights) {
  const fuse_ctx& caller = *fuse_req_ctx(request);
  if (rights == Rights::asked) take_mask(caller);
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  // Only root acts for other users; in a user name space there are none.
  if (error_ != 0 || user != 0 || (caller.uid == user && caller.gid == group)) return;
  // Root's rights need no groups.
  if (rights == Rights::asked && caller.uid != user) take_groups(request);
  if (error_ == 0) become(caller.uid, caller.gid);
}

AsCaller::~AsCaller() {
  const int kept = errno;  // the error of the change itself
  if (is_other_) {
    ::setfsuid(::geteuid());
    ::setfsgid(::getegid());
  }
  if (has_other_groups_) set_groups(own_groups());
  errno = kept;
}

// Takes the caller's mask. The mask may take rights off new files only if their folder has no
// default access control list. The file system knows whether it has, so the kernel leaves the mask
// to it. Threads share one mask unless they ask for their own.
void AsCaller::take_mask(const fuse_ctx& caller) {
  thread_local bool has_own = false;
  if (!has_own && ::unshare(CLONE_FS) != 0)
    error_ = errno;
  else
    has_own = true;
  if (has_own) ::umask(caller.umask);
}

void AsCaller::take_groups(fuse_req_t request) {
  own_groups();  // remembers our own groups before they are replaced
  has_other_groups_ = set_groups(groups_of(request));
  if (!has_other_groups_) error_ = errno;
}

// Takes the caller's identity. With another user than root, the kernel also drops root's rights to
// files. The two calls don't report errors; they return the previous value. So they are called
// again with an impossible user, which changes nothing, to see if the change worked.
void AsCaller::become(uid_t user, gid_t group) {
  constexpr auto kNobody = static_cast<uid_t>(-1);
  is_other_ = true;
  ::setfsgid(group);
  ::setfsuid(user);
  const bool is_caller = static_cast<uid_t>(::setfsuid(kNobody)) == user &&
                         static_cast<gid_t>(::setfsgid(kNobody)) == group;
  if (!is_caller) error_ = EPERM;
}

void note_refusal(fuse_req_t request) {
  const int kept = errno;
  Served& served = served_by(request);
  // If root serves, the programs have their own rights, so nothing is noted.
  if (!served.is_root) served.refused.note(fuse_req_ctx(request)->pid);
  errno = kept;
}

}  // namespace seekless::serve
