// Takes a session's calls with as many threads as are needed at once. libfuse's own loop ends all
// its threads by cancelling them once one has no memory; glibc before 2.41 may cancel a thread that
// has just received a call, and nobody ever answers it.
#pragma once

#define FUSE_USE_VERSION 312

#include <fuse_lowlevel.h>

namespace seekless::serve {

// Takes calls until the session's folder is unmounted. Where a thread can't be made, or has no
// memory for its first call, the others go on. Returns 0, or an errno below 0.
int take_calls_with_threads(fuse_session* session, unsigned most_threads);

}  // namespace seekless::serve
