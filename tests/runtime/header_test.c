/* Includes the public header like a game in C99. */
#include "runtime/include/seekless.h"

int seekless_header_compiles_as_c99(void) {
  skl_error error = {0};
  error.struct_bytes = (uint32_t)sizeof(error);
  return skl_find(0, 0, 0, 0) == SKL_INVALID ? 0 : 1;
}
