// The table of the formats that flat_archive.h reads. A new format is a source file that defines
// its row, and a line here.
#pragma once

#include "packer/content/flat_archive.h"

namespace seekless {

extern const FlatFormat kBethesdaBa2;
extern const FlatFormat kBethesdaBsa;
extern const FlatFormat kDolphinRvz;
extern const FlatFormat kGodotPck;
extern const FlatFormat kQuakePak;
extern const FlatFormat kRenpyRpa;
extern const FlatFormat kUnrealPak;
extern const FlatFormat kValveVpk;

inline constexpr const FlatFormat* kFlatFormats[] = {
    &kGodotPck, &kQuakePak,  &kBethesdaBa2, &kRenpyRpa,
    &kValveVpk, &kUnrealPak, &kBethesdaBsa, &kDolphinRvz,
};

}  // namespace seekless
