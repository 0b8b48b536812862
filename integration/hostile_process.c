/* Sweeps a scenario twice. Between the two, the process does what the reader can't know of: a
 * filter forbids io_uring, descriptors are closed, or it forks. Each sweep's answers go to standard
 * output.
 *
 * usage: hostile_process PACKS SCENARIO BACKEND WHAT, with WHAT one of
 *   filter ERROR   io_uring_enter answers the error from then on
 *   close          every descriptor of the library's is closed
 *   replace        and opened again as another file, which must stay as it is
 *   fork           a child sweeps and ends everything, while another thread sweeps
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <seekless.h>

enum { kFirstNumber = 3, kNumbers = 256 };

static skl_context* context;
static const char* scenario;

/* Compares each delivered asset with its hash. */
static void sweep_once(const char* who) {
  skl_error error = {sizeof error, SKL_OK, 0, 0, ""};
  skl_sweep* sweep = NULL;
  if (skl_sweep_open(context, scenario, &sweep, &error) != SKL_OK) {
    printf("%s: open: %s: %s\n", who, skl_result_name(error.result), error.message);
    return;
  }
  skl_hasher* hasher = NULL;
  skl_hasher_create(&hasher);
  unsigned right = 0, wrong = 0, failed = 0;
  int os_error = 0;
  skl_result result;
  skl_lease lease;
  while ((result = skl_sweep_wait(sweep, UINT32_MAX, &lease, &error)) != SKL_END) {
    if (result == SKL_INVALID) break;
    if (result != SKL_OK) {
      ++failed;
      os_error = error.os_error;
      continue;
    }
    if (lease.size_bytes == lease.asset_bytes) {
      skl_hash found, wanted;
      skl_hasher_reset(hasher);
      skl_hasher_update(hasher, lease.data, lease.size_bytes);
      skl_hasher_finish(hasher, &found);
      if (skl_asset_hash(context, lease.asset, &wanted, NULL) == SKL_OK &&
          memcmp(&found, &wanted, sizeof found) == 0)
        ++right;
      else
        ++wrong;
    }
    skl_lease_release(&lease);
  }
  skl_hasher_destroy(hasher);
  skl_sweep_close(sweep);
  printf("%s: right %u wrong %u failed %u errno %d\n", who, right, wrong, failed, os_error);
}

/* The filter applies to all threads of the process. */
static int forbid_ring(unsigned os_error) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_enter, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | os_error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

static int is_library_s[kNumbers];

static void close_all(int replaced_by) {
  for (int number = kFirstNumber; number < kNumbers; ++number) {
    if (number == replaced_by) continue;
    is_library_s[number] = fcntl(number, F_GETFD) != -1;
    if (!is_library_s[number]) continue;
    if (replaced_by >= 0)
      dup2(replaced_by, number);
    else
      close(number);
  }
}

static void look_at_replaced(int other) {
  struct stat status;
  fstat(other, &status);
  int closed = 0;
  for (int number = kFirstNumber; number < kNumbers; ++number)
    if (is_library_s[number] && fcntl(number, F_GETFD) == -1) ++closed;
  printf("replaced: closed %d bytes %ld\n", closed, (long)status.st_size);
}

static void* sweep_beside(void* unused) {
  (void)unused;
  sweep_once("parent");
  return NULL;
}

static void fork_beside(void) {
  for (int i = 0; i < 10; ++i) {
    pthread_t beside;
    pthread_create(&beside, NULL, sweep_beside, NULL);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      skl_asset asset;
      skl_result found = skl_find(context, "no such path", &asset, NULL);
      skl_context_destroy(context);
      _exit(found == SKL_NOT_FOUND ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    pthread_join(beside, NULL);
  }
  if (fork() == 0) {
    sweep_once("child");
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
}

int main(int count, char** words) {
  if (count < 5) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  scenario = words[2];
  const char* what = words[4];
  skl_context_options options = {0};
  options.struct_bytes = sizeof options;
  options.backend = (skl_backend)atoi(words[3]);
  options.media = SKL_MEDIA_SOLID;
  skl_error error = {sizeof error, SKL_OK, 0, 0, ""};
  if (skl_context_create(&options, &context, &error) != SKL_OK ||
      skl_mount(context, words[1], NULL, NULL, &error) != SKL_OK) {
    printf("%s\n", error.message);
    return 1;
  }
  sweep_once("before");
  int other = -1;
  if (strcmp(what, "filter") == 0) {
    if (!forbid_ring((unsigned)atoi(words[5]))) return 77;
  } else if (strcmp(what, "close") == 0) {
    close_all(-1);
  } else if (strcmp(what, "replace") == 0) {
    other = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (other < 0) return 77;
    other = fcntl(other, F_DUPFD, kNumbers);
    close_all(other);
  } else if (strcmp(what, "fork") == 0) {
    fork_beside();
  } else {
    return 2;
  }
  sweep_once("after");
  skl_context_destroy(context);
  if (other >= 0) look_at_replaced(other);
  printf("ended\n");
  return 0;
}
