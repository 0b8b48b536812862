# A toolchain that makes Windows programs for x86-64 on Linux, by mingw-w64; Wine runs them. Its libraries are
# those that script/windows-libraries builds; SEEKLESS_WINDOWS_LIBRARIES in the environment may name another
# place. mingw-w64-i686.cmake makes programs of 32 bits by it.
set(CMAKE_SYSTEM_NAME Windows)
if(NOT seekless_processor)
  set(seekless_processor x86_64)
endif()
set(CMAKE_SYSTEM_PROCESSOR ${seekless_processor})
# The variant with POSIX threads has std::mutex and std::jthread.
set(CMAKE_C_COMPILER ${seekless_processor}-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER ${seekless_processor}-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER ${seekless_processor}-w64-mingw32-windres)
# These versions of ar and ranlib know the compiler's intermediate code. They are set here because they follow
# the compiler's name.
set(CMAKE_AR ${seekless_processor}-w64-mingw32-gcc-ar-posix)
set(CMAKE_RANLIB ${seekless_processor}-w64-mingw32-gcc-ranlib-posix)
set(CMAKE_STRIP ${seekless_processor}-w64-mingw32-strip)

# The target is Windows 10; newer functions are looked up at run time.
set(CMAKE_C_FLAGS_INIT "-D_WIN32_WINNT=0x0A00${seekless_processor_flags}")
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00${seekless_processor_flags}")
# A program needs no DLL of the compiler beside it. This isn't for a project that only builds on the package. Without a time
# in it, two builds are the same bytes: the linker writes the current one into a DLL's exports even if SOURCE_DATE_EPOCH is set.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--no-insert-timestamp")

if(DEFINED ENV{SEEKLESS_WINDOWS_LIBRARIES})
  set(seekless_windows_libraries "$ENV{SEEKLESS_WINDOWS_LIBRARIES}")
else()
  get_filename_component(seekless_windows_libraries "${CMAKE_CURRENT_LIST_DIR}/../build/windows-libraries" ABSOLUTE)
endif()
if(seekless_processor STREQUAL "i686")
  string(APPEND seekless_windows_libraries /i686)
endif()
set(ENV{PKG_CONFIG_LIBDIR} "${seekless_windows_libraries}/lib/pkgconfig")
list(APPEND CMAKE_FIND_ROOT_PATH "${seekless_windows_libraries}" /usr/${seekless_processor}-w64-mingw32)
list(APPEND CMAKE_PREFIX_PATH "${seekless_windows_libraries}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(seekless_wine NAMES wine64 wine)
if(seekless_wine)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${seekless_wine}")
endif()
