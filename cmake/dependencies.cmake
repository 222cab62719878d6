# What others made. `ch_engine_needs` is all that libcardhouse takes, `ch_io_needs` what libcardhouse-io takes besides.
# CH_ENGINE_NAMES and CH_IO_NAMES are the same as a linker's names, for those who link our archives.
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)

# ch_take(TARGET HEADER LIBRARY): adds a library without a pkg-config file to a target.
function(ch_take target header library)
  string(TOUPPER CH_${library} name)
  find_path(${name}_INCLUDE ${header} PATH_SUFFIXES suitesparse openblas openblas-pthread REQUIRED)
  find_library(${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(${name}_INCLUDE ${name}_LIBRARY)
  if(NOT ${name}_INCLUDE STREQUAL /usr/include)  # searched anyway; naming it would reorder the system's headers
    target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE})
  endif()
  target_link_libraries(${target} INTERFACE ${${name}_LIBRARY})
endfunction()

add_library(ch_engine_needs INTERFACE)
ch_take(ch_engine_needs libqhull_r/libqhull_r.h qhull_r)
ch_take(ch_engine_needs umfpack.h umfpack)
ch_take(ch_engine_needs cholmod.h cholmod)
ch_take(ch_engine_needs amd.h amd)
ch_take(ch_engine_needs lapacke.h lapacke)
ch_take(ch_engine_needs cblas.h openblas)
target_link_libraries(ch_engine_needs INTERFACE OpenMP::OpenMP_C m)
# gcc's linker knows where its OpenMP is. clang's lies in a folder that only -fopenmp leads to: whoever links our archive
# gets its path.
set(CH_OPENMP_NAMES ${OpenMP_C_LIB_NAMES})
if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(CH_OPENMP_NAMES ${OpenMP_C_LIBRARIES})
endif()
set(CH_ENGINE_NAMES qhull_r umfpack cholmod amd lapacke openblas ${CH_OPENMP_NAMES} m)

# What many processes need; the program does without where either is missing.
option(CH_DISTRIBUTED "many processes on one world, where MPI and Zoltan are installed" ON)
set(CH_DIST OFF)
if(CH_DISTRIBUTED AND NOT CH_SANITIZE)  # MPI's own leaks and threads are no findings of ours
  find_package(MPI QUIET COMPONENTS C)
  find_path(CH_ZOLTAN_INCLUDE zoltan.h PATH_SUFFIXES trilinos)
  find_library(CH_ZOLTAN_LIBRARY NAMES trilinos_zoltan zoltan)
  mark_as_advanced(CH_ZOLTAN_INCLUDE CH_ZOLTAN_LIBRARY)
  if(MPI_C_FOUND AND CH_ZOLTAN_INCLUDE AND CH_ZOLTAN_LIBRARY)
    set(CH_DIST ON)
    add_library(ch_dist_needs INTERFACE)
    target_include_directories(ch_dist_needs SYSTEM INTERFACE ${CH_ZOLTAN_INCLUDE})
    target_link_libraries(ch_dist_needs INTERFACE MPI::MPI_C ${CH_ZOLTAN_LIBRARY})
  else()
    message(STATUS "Built for one process: --distributed takes MPI and Zoltan (tools/install-packages distributed)")
  endif()
endif()

pkg_check_modules(CARDHOUSE_HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(CARDHOUSE_JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(CARDHOUSE_PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(CARDHOUSE_EXPAT REQUIRED IMPORTED_TARGET expat)
add_library(ch_io_needs INTERFACE)
ch_take(ch_io_needs glpk.h glpk)
target_link_libraries(ch_io_needs INTERFACE PkgConfig::CARDHOUSE_HDF5 PkgConfig::CARDHOUSE_JANSSON
  PkgConfig::CARDHOUSE_PNG PkgConfig::CARDHOUSE_EXPAT m)
set(CH_IO_NAMES glpk m)
