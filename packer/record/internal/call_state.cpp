#include "packer/record/internal/call_state.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

namespace seekless {
namespace {

struct CallRegisters {
  CallNumber call;
  int64_t result = 0;
};

// Reads the call from the thread's registers, because Linux before 5.3 doesn't report calls.
std::optional<CallRegisters> call_registers(uint32_t thread) {
  user_regs_struct registers = {};
  iovec all = {&registers, sizeof(registers)};
  if (::ptrace(PTRACE_GETREGSET, static_cast<pid_t>(thread), NT_PRSTATUS, &all) != 0)
    return std::nullopt;
  // A program of 32 bits has fewer registers, and its calls have other numbers.
  errno = ENOSYS;
  if (all.iov_len != sizeof(registers)) return std::nullopt;
#if defined(__x86_64__)
  return CallRegisters{
      {registers.orig_rax,
       {registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9}},
      static_cast<int64_t>(registers.rax)};
#elif defined(__aarch64__)
  CallRegisters found = {{registers.regs[8], {}}, static_cast<int64_t>(registers.regs[0])};
  std::copy_n(std::begin(registers.regs), found.call.arguments.size(),
              found.call.arguments.begin());
  return found;
#else
#error "expected a processor whose registers are known"
#endif
}

// Returns false, with EIO, if the kernel doesn't know the request.
bool is_told(uint32_t thread, __ptrace_syscall_info& info) {
  return ::ptrace(PTRACE_GET_SYSCALL_INFO, static_cast<pid_t>(thread), sizeof(info), &info) > 0;
}

}  // namespace

std::optional<CallNumber> call_at_filter(uint32_t thread) {
  __ptrace_syscall_info info = {};
  if (is_told(thread, info)) {
    errno = ENOSYS;
    if (info.op != PTRACE_SYSCALL_INFO_SECCOMP) return std::nullopt;
    CallNumber call = {info.seccomp.nr, {}};
    std::copy(std::begin(info.seccomp.args), std::end(info.seccomp.args), call.arguments.begin());
    return call;
  }
  if (errno != EIO) return std::nullopt;
  const auto registers = call_registers(thread);
  return registers ? std::optional(registers->call) : std::nullopt;
}

std::optional<int64_t> result_of_call(uint32_t thread) {
  __ptrace_syscall_info info = {};
  if (is_told(thread, info))
    return info.op == PTRACE_SYSCALL_INFO_EXIT ? std::optional<int64_t>(info.exit.rval)
                                               : std::nullopt;
  if (errno != EIO) return std::nullopt;
  // A thread that was continued after the filter's stop stops next at the end of its call.
  const auto registers = call_registers(thread);
  return registers ? std::optional(registers->result) : std::nullopt;
}

}  // namespace seekless
