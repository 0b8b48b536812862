vcpkg_download_distfile(archive URLS "@URL@/seekless-${VERSION}.tar.gz" FILENAME "seekless-${VERSION}.tar.gz" SHA512 @SHA512_SOURCES@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS -DSEEKLESS_PACKER=OFF -DSEEKLESS_TESTS=OFF -DSEEKLESS_PHYSFS=OFF -DSEEKLESS_SDL2=OFF -DSEEKLESS_SDL3=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_uring=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/seekless)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
