// Lists the system calls at which a recording stops, and the effect of each on files.
#pragma once

#include <array>
#include <cstdint>

#include <sys/syscall.h>

namespace seekless {

enum class CallKind : uint8_t {
  read,     // read, readv: at the file's position
  pread,    // the offset is the fourth argument
  preadv2,  // the offset is the fourth argument; -1 means the file's position
  open,     // arguments: path, flags
  openat,   // arguments: folder, path, flags
  openat2,  // arguments: folder, path, address of the flags
  creat,    // opens for writing only
  close,
  close_range,
  lseek,
  dup,
  dup2,       // also dup3
  fcntl,      // only the commands that duplicate
  mmap,       // only mappings of a file for reading
  sendfile,   // arguments: to, from, address of the offset
  copy_file,  // arguments: from, address of the offset, to; also splice
  clone,      // argument: flags
  clone3,     // argument: address of the flags
  unshare,
  io_uring,
};

struct TracedCall {
  uint32_t number;
  CallKind kind;
};

// The most frequent call comes first, because the filter compares in this order. On newer
// processors Linux has only the "at" variants.
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
