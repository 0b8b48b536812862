/* Swaps folders for links, and back, for as long as it runs: swap_links FOLDER LINK [FOLDER LINK
   ...]. Each pair takes each other's names, in one step; what isn't there just now is tried again.
   FOLDER LINK stand on one file system. Ends with its standard input, and says how often it
   swapped. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  long swaps = 0;
  for (unsigned round = 0; poll(&input, 1, 0) == 0; ++round)
    for (int i = 1; i + 1 < count; i += 2) {
      swaps += renameat2(AT_FDCWD, words[i], AT_FDCWD, words[i + 1], RENAME_EXCHANGE) == 0;
      /* Now and then a pair stays long enough for a whole file to be written. */
      if (round % 64 < 4) usleep(200);
    }
  printf("%ld\n", swaps);
  return 0;
}
