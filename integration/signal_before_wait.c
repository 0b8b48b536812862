/* Preloaded: SIGTERM comes just before the program begins to wait at a semaphore, so the handler
 * can't wake the waiting thread yet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

int sem_wait(sem_t* semaphore) {
  static int is_sent;
  int (*const next)(sem_t*) = (int (*)(sem_t*))dlsym(RTLD_NEXT, "sem_wait");
  if (!is_sent) {
    is_sent = 1;
    sleep(1); /* until its threads wait for calls, too */
    raise(SIGTERM);
  }
  return next(semaphore);
}
