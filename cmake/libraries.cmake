# The two libraries, each as an archive and as a shared library, from the same objects:
#
#   libcardhouse      the engine: bodies, contacts, solvers, time stepping
#   libcardhouse-io   readers and writers; calls the engine through its public functions, and has a copy of base/ of its
#                     own, hidden, where it is shared
#
# The archives are libcardhouse and libcardhouse_io, the shared libraries have _shared behind it. cardhouse::engine and
# cardhouse::cardhouse name one kind or the other, as BUILD_SHARED_LIBS says.
set(CH_ENGINE_FOLDERS linalg problem system solve model collide assemble step)
set(CH_IO_FOLDERS files scene record analysis measure mcp)

# ch_objects(TARGET FOLDERS NEEDS): the sources of some folders of src/, compiled.
function(ch_objects target folders needs)
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folders})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE ch_flags ${needs})
  target_compile_options(${target} PRIVATE ${CH_CONVERSION})
endfunction()
# Which of two products a fused multiply-add takes is the compiler's choice, and vectorising single expressions changes
# it from caller to caller. The rows of joints are the same to the last bit whoever calls.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/model/joints/joint_parts.c PROPERTIES COMPILE_OPTIONS
                            -fno-tree-slp-vectorize)
ch_objects(ch_base base "ch_engine_needs")
ch_objects(ch_engine "${CH_ENGINE_FOLDERS}" "ch_engine_needs")
ch_objects(ch_io "${CH_IO_FOLDERS}" "ch_engine_needs;ch_io_needs")

# ch_library(TARGET KIND NAME OBJECTS...): a library that users may link.
function(ch_library target kind name)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${target} ${kind} ${objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(CH_SANITIZE)  # whoever links what has sanitizers in it needs them
    target_link_options(${target} PUBLIC "$<BUILD_INTERFACE:-fsanitize=${CH_SANITIZE}>")
  endif()
  if(kind STREQUAL SHARED)
    target_link_libraries(${target} PRIVATE ch_flags)
    target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/shown.map)
    if(NOT CH_SANITIZE AND NOT CH_FUZZ)  # a sanitizer's symbols come with the program
      target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
  endif()
endfunction()

# --- archives ---------------------------------------------------------------------------------------------------------
ch_library(libcardhouse STATIC cardhouse ch_base ch_engine)
target_link_libraries(libcardhouse PRIVATE "$<BUILD_INTERFACE:ch_engine_needs>" "$<INSTALL_INTERFACE:${CH_ENGINE_NAMES}>")

ch_library(libcardhouse_io STATIC cardhouse-io ch_io)
target_link_libraries(libcardhouse_io PUBLIC libcardhouse PRIVATE "$<BUILD_INTERFACE:ch_io_needs>"
  "$<INSTALL_INTERFACE:${CH_IO_NAMES};PkgConfig::CARDHOUSE_HDF5;PkgConfig::CARDHOUSE_JANSSON;PkgConfig::CARDHOUSE_PNG>")

# --- many processes on one world: the only part that knows MPI --------------------------------------------------------
if(CH_DIST)
  ch_objects(ch_dist dist "ch_engine_needs;ch_dist_needs")
  ch_library(libcardhouse_dist STATIC cardhouse-dist ch_dist)
  target_link_libraries(libcardhouse_dist PUBLIC libcardhouse_io PRIVATE ch_dist_needs)
endif()

# --- shared libraries -------------------------------------------------------------------------------------------------
ch_library(libcardhouse_shared SHARED cardhouse ch_base ch_engine)
target_link_libraries(libcardhouse_shared PRIVATE ch_engine_needs INTERFACE m)  # geometry.h takes roots

# An archive of base/ gives what the engine's library does not show, and none of it is shown again.
add_library(ch_base_copy STATIC $<TARGET_OBJECTS:ch_base>)
set_target_properties(ch_base_copy PROPERTIES LINKER_LANGUAGE C)
ch_library(libcardhouse_io_shared SHARED cardhouse-io ch_io)
target_link_libraries(libcardhouse_io_shared PUBLIC libcardhouse_shared PRIVATE ch_base_copy ch_io_needs)
target_link_options(libcardhouse_io_shared PRIVATE LINKER:--exclude-libs,$<TARGET_FILE_NAME:ch_base_copy>)
set_target_properties(libcardhouse_io_shared PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)

# --- the same engine for wider instructions ---------------------------------------------------------------------------
# The loader looks into glibc-hwcaps/LEVEL of every folder that it searches, the best level of the processor first.
if(CH_LEVELS AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  set(CH_LEVELS OFF)
endif()
if(CH_LEVELS)
  set(CH_LEVEL x86-64-v3)
  set(CH_LEVEL_FOLDER glibc-hwcaps/${CH_LEVEL})
  ch_objects(ch_engine_level "base;${CH_ENGINE_FOLDERS}" "ch_engine_needs")
  target_compile_options(ch_engine_level PRIVATE -march=${CH_LEVEL} ${CH_CONTRACT})
  ch_library(libcardhouse_level SHARED cardhouse ch_engine_level)
  target_link_libraries(libcardhouse_level PRIVATE ch_engine_needs)
  set_target_properties(libcardhouse_level PROPERTIES
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${CH_LEVEL_FOLDER})
endif()

# --- names for others -------------------------------------------------------------------------------------------------
if(BUILD_SHARED_LIBS)
  add_library(cardhouse::engine ALIAS libcardhouse_shared)
  add_library(cardhouse::cardhouse ALIAS libcardhouse_io_shared)
else()
  add_library(cardhouse::engine ALIAS libcardhouse)
  add_library(cardhouse::cardhouse ALIAS libcardhouse_io)
endif()
if(NOT PROJECT_IS_TOP_LEVEL)  # another project builds what it links
  set_target_properties(libcardhouse libcardhouse_io libcardhouse_shared libcardhouse_io_shared ch_base_copy
                        PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# Tests, tools and benchmark look inside: archives, every header of ours, every library that we use.
add_library(ch_inside INTERFACE)
target_include_directories(ch_inside INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/apps)
target_link_libraries(ch_inside INTERFACE ch_flags libcardhouse_io libcardhouse ch_engine_needs ch_io_needs)
