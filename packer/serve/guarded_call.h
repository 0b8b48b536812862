// Turns C++ functions into FUSE calls: an exception becomes an error reply.
#pragma once

#define FUSE_USE_VERSION 312

#include <cerrno>
#include <exception>
#include <new>

#include <fuse_lowlevel.h>

namespace seekless::serve {

// libfuse is written in C, so no exception may pass through it.
template <auto call>
struct Guarded;

template <typename... Arguments, void (*call)(fuse_req_t, Arguments...)>
struct Guarded<call> {
  static void run(fuse_req_t request, Arguments... arguments) noexcept {
    try {
      call(request, arguments...);
    } catch (const std::bad_alloc&) {
      fuse_reply_err(request, ENOMEM);
    } catch (const std::exception&) {
      fuse_reply_err(request, EIO);
    }
  }
};

template <auto call>
inline constexpr auto guarded = &Guarded<call>::run;

}  // namespace seekless::serve
