# find_package(cardhouse CONFIG) gives
#   cardhouse::engine      libcardhouse: bodies, contacts, solvers, time stepping
#   cardhouse::cardhouse   libcardhouse-io as well: scenes, recordings, problem files, analysis
# as shared libraries; find_package(cardhouse CONFIG COMPONENTS static) gives the archives.
if("static" IN_LIST cardhouse_FIND_COMPONENTS)
  include(CMakeFindDependencyMacro)
  find_dependency(PkgConfig)
  pkg_check_modules(CARDHOUSE_HDF5 REQUIRED QUIET IMPORTED_TARGET hdf5)
  pkg_check_modules(CARDHOUSE_JANSSON REQUIRED QUIET IMPORTED_TARGET jansson)
  pkg_check_modules(CARDHOUSE_PNG REQUIRED QUIET IMPORTED_TARGET libpng)
  pkg_check_modules(CARDHOUSE_EXPAT REQUIRED QUIET IMPORTED_TARGET expat)
  include(${CMAKE_CURRENT_LIST_DIR}/cardhouse-static.cmake)
  set(cardhouse_static_FOUND TRUE)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/cardhouse-shared.cmake)
  set(cardhouse_shared_FOUND TRUE)
endif()
foreach(component ${cardhouse_FIND_COMPONENTS})
  if(cardhouse_FIND_REQUIRED_${component} AND NOT cardhouse_${component}_FOUND)
    set(cardhouse_FOUND FALSE)
    set(cardhouse_NOT_FOUND_MESSAGE "cardhouse has the components static and shared, one at a time, not '${component}'")
  endif()
endforeach()
