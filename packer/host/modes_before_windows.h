// Restores the modes that prepare_process() changed and that other programs inherit or see. A
// program started during that time runs as if it were started without seekless.
#pragma once

#include <windows.h>

namespace seekless {

// While it lives, new processes inherit the error mode that this program was started with.
class ErrorModeBefore {
 public:
  ErrorModeBefore();
  ErrorModeBefore(const ErrorModeBefore&) = delete;
  ErrorModeBefore& operator=(const ErrorModeBefore&) = delete;
  ~ErrorModeBefore();

 private:
  UINT own_;
};

// While it lives, the console has the code page that this program found. Messages that aren't ASCII
// look wrong during that time.
class CodePageBefore {
 public:
  CodePageBefore();
  CodePageBefore(const CodePageBefore&) = delete;
  CodePageBefore& operator=(const CodePageBefore&) = delete;
  ~CodePageBefore();
};

}  // namespace seekless
