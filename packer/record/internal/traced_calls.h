// Which system calls a recording stops at, and what each does to files.
#pragma once

#include <array>
#include <cstdint>

#include <sys/syscall.h>

namespace seekless {

enum class CallKind : uint8_t {
  read,     // read, readv: where the file stands
  pread,    // at the fourth argument
  preadv2,  // at the fourth argument, or where the file stands if that is -1
  open,     // path, flags
  openat,   // folder, path, flags
  openat2,  // folder, path, where the flags are
  creat,    // for writing only
  close,
  close_range,
  lseek,
  dup,
  dup2,       // also dup3
  fcntl,      // those that duplicate
  mmap,       // of a file, for reading
  sendfile,   // to, from, where the offset is
  copy_file,  // from, where the offset is, to; also splice
  clone,      // flags
  clone3,     // where the flags are
  unshare,
  io_uring,
};

struct TracedCall {
  uint32_t number;
  CallKind kind;
};

// The most frequent first, as the filter compares in this order. Newer processors' Linux has only
// the "at" forms.
inline constexpr auto kTracedCalls = std::to_array<TracedCall>({
    {SYS_read, CallKind::read},
    {SYS_pread64, CallKind::pread},
    {SYS_lseek, CallKind::lseek},
    {SYS_close, CallKind::close},
    {SYS_openat, CallKind::openat},
    {SYS_mmap, CallKind::mmap},
    {SYS_fcntl, CallKind::fcntl},
    {SYS_readv, CallKind::read},
    {SYS_preadv, CallKind::pread},
    {SYS_preadv2, CallKind::preadv2},
    {SYS_openat2, CallKind::openat2},
    {SYS_close_range, CallKind::close_range},
    {SYS_dup, CallKind::dup},
    {SYS_dup3, CallKind::dup2},
    {SYS_sendfile, CallKind::sendfile},
    {SYS_copy_file_range, CallKind::copy_file},
    {SYS_splice, CallKind::copy_file},
    {SYS_clone, CallKind::clone},
    {SYS_clone3, CallKind::clone3},
    {SYS_unshare, CallKind::unshare},
    {SYS_io_uring_setup, CallKind::io_uring},
#ifdef SYS_open
    {SYS_open, CallKind::open},
    {SYS_creat, CallKind::creat},
    {SYS_dup2, CallKind::dup2},
#endif
});

}  // namespace seekless
