# The toolchain of mingw-w64.cmake for programs of 32 bits. There are libraries only for the reader.
set(seekless_processor i686)
# Windows 10 needs a processor with SSE2.
set(seekless_processor_flags " -msse2 -mfpmath=sse")
include(${CMAKE_CURRENT_LIST_DIR}/mingw-w64.cmake)
