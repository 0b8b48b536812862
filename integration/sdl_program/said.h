/* The output of the programs on SDL 2 and SDL 3. */
#include <stddef.h>
#include <stdio.h>

/* FNV-1a, to compare with what others have loaded. */
static inline unsigned long long hash_of(const unsigned char* bytes, size_t size) {
  unsigned long long hash = 14695981039346656037ull;
  size_t i;
  for (i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

static inline int failed(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}
