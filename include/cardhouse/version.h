// The version. CMake reads it from this file, and a test compares the other places that state it.
#ifndef CARDHOUSE_VERSION_H
#define CARDHOUSE_VERSION_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CH_VERSION_MAJOR 0
#define CH_VERSION_MINOR 1
#define CH_VERSION_PATCH 0

#define CH_VERSION_QUOTE(number) #number
#define CH_VERSION_JOIN(major, minor, patch) \
  CH_VERSION_QUOTE(major) "." CH_VERSION_QUOTE(minor) "." CH_VERSION_QUOTE(patch)

/// The version of these headers, "MAJOR.MINOR.PATCH".
#define CH_VERSION CH_VERSION_JOIN(CH_VERSION_MAJOR, CH_VERSION_MINOR, CH_VERSION_PATCH)

/// The version of the library that is linked, written as CH_VERSION. It differs from CH_VERSION if a program runs
/// with a different library from the one it was compiled with. The text is constant and never freed. Cannot fail.
CH_API const char* ch_version(void);

#ifdef __cplusplus
}
#endif

#endif
