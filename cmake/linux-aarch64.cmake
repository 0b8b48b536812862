# A toolchain that makes Linux programs for aarch64 on another Linux, by Debian's cross compilers; qemu-user runs them. Its
# libraries are those of `script/static-libraries aarch64`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_AR aarch64-linux-gnu-gcc-ar)
set(CMAKE_RANLIB aarch64-linux-gnu-gcc-ranlib)
set(CMAKE_STRIP aarch64-linux-gnu-strip)

get_filename_component(seekless_libraries "${CMAKE_CURRENT_LIST_DIR}/../build/static-libraries-aarch64" ABSOLUTE)
set(ENV{PKG_CONFIG_LIBDIR} "${seekless_libraries}/lib/pkgconfig")
list(APPEND CMAKE_FIND_ROOT_PATH "${seekless_libraries}" /usr/aarch64-linux-gnu)
list(PREPEND CMAKE_PREFIX_PATH "${seekless_libraries}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(seekless_qemu NAMES qemu-aarch64-static qemu-aarch64)
if(seekless_qemu)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${seekless_qemu}")
endif()
