# How everything is compiled: target `ch_flags`. What the user or the distribution sets (CFLAGS, CMAKE_C_FLAGS_RELEASE)
# stays as it is; what stands here comes after it.
option(CH_STRICT "treat warnings as errors" OFF)
set(CH_SANITIZE "" CACHE STRING "sanitizers, as after -fsanitize= (e.g. address or undefined)")

# A build that stays where it is made may use what that processor has: AVX2 and FMA for the small
# dense blocks. `make` switches it on for its builds in place. A build that is installed or packed runs on every processor of the
# architecture, and CH_LEVELS gives it the wider instructions back, chosen as it is loaded; docs/library.md has what
# that gains.
option(CH_NATIVE "use the instructions of the machine that builds" OFF)
option(CH_LEVELS "also a libcardhouse for x86-64-v3, which the loader takes where the processor has AVX2 and FMA" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)  # POSIX and GNU names of the C library (clock_gettime, sigaction)
if(NOT DEFINED CMAKE_C_VISIBILITY_PRESET)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(ch_flags INTERFACE)
target_compile_definitions(ch_flags INTERFACE _GNU_SOURCE)
target_compile_options(ch_flags INTERFACE -Wall -Wextra -Wshadow -fno-math-errno)
# Assertions of our own invariants stay on in a release: they are cheap and outside of kernels.
target_compile_options(ch_flags INTERFACE -UNDEBUG)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  # The arena's landing returns at once after a jump and reads no local variable: gcc cannot see that.
  # Vectors of four doubles are passed between inline functions only: there is no ABI to keep.
  target_compile_options(ch_flags INTERFACE -Wno-clobbered -Wno-psabi)
  # Tests may convert as they like.
  set(CH_CONVERSION -Wconversion -Wno-sign-conversion)
else()
  # A loop that clang does not vectorize is no fault; vectors as above.
  target_compile_options(ch_flags INTERFACE -Wno-pass-failed -Wno-psabi)
endif()
if(CH_STRICT)
  target_compile_options(ch_flags INTERFACE -Werror)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # What gcc takes for uninitialized depends on how loops are vectorized, and that on the processor at hand.
    target_compile_options(ch_flags INTERFACE -Wno-error=maybe-uninitialized)
  endif()
endif()
# Contraction to fused multiply-add is allowed; the order of sums is not: results stay the same for any thread count.
set(CH_CONTRACT -ffp-contract=fast)
if(CH_NATIVE)
  include(CheckCSourceRuns)
  set(CMAKE_REQUIRED_FLAGS "-march=native")
  check_c_source_runs("int main(void) {
#if defined __AVX2__ && defined __FMA__
    return 0;
#else
    return 1;
#endif
  }" CH_NATIVE_USEFUL)
  unset(CMAKE_REQUIRED_FLAGS)
  if(CH_NATIVE_USEFUL)
    target_compile_options(ch_flags INTERFACE -march=native ${CH_CONTRACT})
  endif()
endif()

# Files come from strangers: what the compiler and the loader can do against a fault in a reader is on in every build
# that is optimised. tests/test_hardening.py looks for each on the built program.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fstack-clash-protection CH_HAS_STACK_CLASH)
option(CH_HARDEN "stack protector, fortified C library, read-only relocations" ON)
if(CH_HARDEN)
  target_compile_options(ch_flags INTERFACE -fstack-protector-strong)
  if(CH_HAS_STACK_CLASH)
    target_compile_options(ch_flags INTERFACE -fstack-clash-protection)
  endif()
  if(NOT CH_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)  # needs optimising; sanitizers have checks of their own
    target_compile_options(ch_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  target_link_options(ch_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
if(CH_SANITIZE)
  target_compile_options(ch_flags INTERFACE -fsanitize=${CH_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(ch_flags INTERFACE -fsanitize=${CH_SANITIZE})
endif()
if(CH_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "CH_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  target_compile_options(ch_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What the loader is told: nothing but, where our libraries are files of their own, the folders that they lie in, the same
# before and after installing. CMake pads paths that it is to replace on installing with ':', and an empty entry means the
# current folder: a libpng beside a downloaded scene would be loaded.
set(CMAKE_NO_BUILTIN_CHRPATH ON)
set(CMAKE_SKIP_BUILD_RPATH ON)
