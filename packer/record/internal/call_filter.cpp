#include "packer/record/internal/call_filter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "packer/record/internal/traced_calls.h"

namespace seekless {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kNativeCalls = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kNativeCalls = AUDIT_ARCH_AARCH64;
#else
#error "the system calls of this processor aren't known here"
#endif

class FilterProgram {
 public:
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  // Loads the low half of an argument, on a little-endian processor.
  void load_argument(size_t index) {
    load(offsetof(seccomp_data, args) + index * sizeof(uint64_t));
  }
  // Runs the next instruction only if the loaded value equals this one (or has its bits).
  void if_equal(uint32_t value) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1); }
  void if_not_equal(uint32_t value) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0); }
  void if_bits(uint32_t bits) { add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1); }
  void skip_unless_equal(uint32_t value, uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }
  void stop_for_recorder() { add(BPF_RET | BPF_K, SECCOMP_RET_TRACE); }
  void let_run() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

  std::vector<sock_filter> take() { return std::move(program_); }

 private:
  void add(int code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    program_.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }
  std::vector<sock_filter> program_;
};

}  // namespace

std::vector<sock_filter> make_call_filter() {
  FilterProgram program;
  program.load(offsetof(seccomp_data, arch));
  program.if_not_equal(kNativeCalls);
  program.let_run();
  program.load(offsetof(seccomp_data, nr));
  for (const TracedCall& call : kTracedCalls) {
    switch (call.kind) {
      case CallKind::mmap:  // only mappings that read a file
        program.skip_unless_equal(call.number, 7);
        program.load_argument(4);
        program.if_equal(UINT32_MAX);
        program.let_run();
        program.load_argument(2);
        program.if_bits(PROT_READ);
        program.stop_for_recorder();
        program.let_run();
        break;
      case CallKind::fcntl:
        program.skip_unless_equal(call.number, 6);
        program.load_argument(1);
        program.if_equal(F_DUPFD);
        program.stop_for_recorder();
        program.if_equal(F_DUPFD_CLOEXEC);
        program.stop_for_recorder();
        program.let_run();
        break;
      default:
        program.if_equal(call.number);
        program.stop_for_recorder();
    }
  }
  program.let_run();
  return program.take();
}

int install_call_filter(const std::vector<sock_filter>& filter) noexcept {
  sock_fprog program = {static_cast<unsigned short>(filter.size()),
                        const_cast<sock_filter*>(filter.data())};
  auto install = [&] { return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0; };
  if (install()) return 0;
  // Without privileges, a process may set a filter only after giving up the chance to gain any.
  if (errno != EACCES) return errno;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !install()) return errno;
  return 0;
}

}  // namespace seekless
