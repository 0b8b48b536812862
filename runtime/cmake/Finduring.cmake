# Defines uring::uring if liburing is installed. It prefers the static library (30 KiB), because a
# game then starts on machines without liburing.
find_path(uring_INCLUDE_DIR liburing.h)
find_library(uring_LIBRARY NAMES liburing.a uring)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(uring REQUIRED_VARS uring_LIBRARY uring_INCLUDE_DIR)
mark_as_advanced(uring_INCLUDE_DIR uring_LIBRARY)
if(uring_FOUND AND NOT TARGET uring::uring)
  add_library(uring::uring UNKNOWN IMPORTED)
  set_target_properties(uring::uring PROPERTIES
    IMPORTED_LOCATION ${uring_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${uring_INCLUDE_DIR})
endif()
