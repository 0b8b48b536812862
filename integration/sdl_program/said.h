/* What the programs on SDL 2 and SDL 3 print. Include it after SDL's header. */
#include <stdio.h>

/* FNV-1a, to compare with what others have loaded. */
static unsigned long long hash_of(const void* data, size_t size) {
  const unsigned char* bytes = data;
  unsigned long long hash = 14695981039346656037ull;
  size_t i;
  for (i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, SDL_GetError());
  return 1;
}
