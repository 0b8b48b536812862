/* old_kernel PROGRAM [ARGUMENT...] runs it as Linux 4.18 would answer it: each newer system call is
 * refused (ENOSYS), and so are newer requests of older calls. Limits of older file systems aren't
 * imitated. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  kFirstNewCall =
      424, /* pidfd_send_signal, of 5.1; from there on calls have one number on every processor */
  kGetSyscallInfo = 0x420e, /* of 5.3; ptrace answers an unknown request with EIO */
  kFirstNewAdvice = 20,     /* MADV_COLD, of 5.4; madvise answers an unknown one with EINVAL */
  kLastNewAdvice = 25
};
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(int count, char** arguments) {
  struct sock_filter steps[] = {
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstNewCall, 0, 1),
      REFUSE(ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 3),
      LOAD(args[0]),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kGetSyscallInfo, 0, 6),
      REFUSE(EIO),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 4),
      LOAD(args[2]),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstNewAdvice, 0, 2),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kLastNewAdvice, 1, 0),
      REFUSE(EINVAL),
      ALLOW,
  };
  struct sock_fprog filter = {sizeof(steps) / sizeof(steps[0]), steps};
  if (count < 2) {
    fprintf(stderr, "usage: old_kernel PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
    perror("old_kernel");
    return 126;
  }
  execvp(arguments[1], &arguments[1]);
  perror(arguments[1]);
  return 127;
}
