#include "packer/record/internal/untraced.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <elf.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

namespace seekless {
namespace {

// On x86, this register holds the first argument even after the call.
#if defined(__x86_64__)
constexpr size_t kFirstArgumentAt = offsetof(user_regs_struct, rdi);
constexpr bool kIsKept = true;
#elif defined(__aarch64__)
constexpr size_t kFirstArgumentAt = offsetof(user_regs_struct, regs);
constexpr bool kIsKept = false;
#endif

void set_first_argument(uint32_t id, uint64_t value) {
  user_regs_struct registers = {};
  iovec all = {&registers, sizeof(registers)};
  const auto thread = static_cast<pid_t>(id);
  if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &all) != 0) return;
  *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&registers) + kFirstArgumentAt) = value;
  ::ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &all);
}

// Writes a number into the program's memory. ptrace can do so even if the memory is read-only.
void set_number(uint32_t id, uint64_t address, uint64_t value) {
  ::ptrace(PTRACE_POKEDATA, static_cast<pid_t>(id), address, value);
}

void set_flags(uint32_t id, const SystemCall& call, uint64_t flags) {
  if (call.kind == CallKind::clone) {
    set_first_argument(id, flags);
  } else {
    set_number(id, call.arguments[0], flags);
  }
}

}  // namespace

void take_untraced_flag(TracedThread& thread, const SystemCall& call) {
  const uint64_t flags = thread.clone_flags;
  if ((flags & CLONE_UNTRACED) == 0) return;
  thread.untraced = UntracedClone{call, flags};
  set_flags(thread.id, call, flags & ~uint64_t{CLONE_UNTRACED});
}

void put_untraced_flag_back(TracedThread& thread) {
  if (!thread.untraced) return;
  const UntracedClone clone = *std::exchange(thread.untraced, std::nullopt);
  if (clone.call.kind == CallKind::clone3 || kIsKept) set_flags(thread.id, clone.call, clone.flags);
}

}  // namespace seekless
