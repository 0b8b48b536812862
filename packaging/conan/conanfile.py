"""Conan's recipe of the reader."""
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rm, rmdir


class Seekless(ConanFile):
    name = "seekless"
    version = "@VERSION@"
    license = "MIT"
    description = "The reader of packs that lie in load order"
    settings = "os", "compiler", "build_type", "arch"
    package_type = "library"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    requires = "lz4/[>=1.9]", "xxhash/[>=0.8]"

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, "@URL@/seekless-@VERSION@.tar.gz", sha256="@SHA256_SOURCES@", strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("PACKER", "TESTS", "PHYSFS", "SDL2", "SDL3"):
            toolchain.cache_variables[f"SEEKLESS_{name}"] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_uring"] = True  # the machine's own, of which Conan knows nothing
        toolchain.cache_variables["CMAKE_UNITY_BUILD"] = True  # the sources joined, as in the preset "reader": a third of the time
        toolchain.cache_variables["CMAKE_UNITY_BUILD_BATCH_SIZE"] = "0"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        CMake(self).install()
        rmdir(self, f"{self.package_folder}/share")
        # CMake makes both libraries, and a linker prefers the shared one.
        shared, static = ("*.so*", "*.dll", "*.dll.a"), ("libseekless.a",)
        for pattern in static if self.options.shared else shared:
            rm(self, pattern, self.package_folder, recursive=True)

    def package_info(self):
        self.cpp_info.libs = ["seekless"]
        self.cpp_info.set_property("cmake_target_name", "seekless::seekless" if self.options.shared else "seekless::static")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread", "m", "stdc++"]
