# The Python module `cardhouse`: python/setup.py compiles it against this build's archives. Target `python_module` puts
# the package into python/lib of the build folder, where the tests use it; `python_wheel` packs it.
find_program(CH_PYTHON python3 HINTS /usr/bin NO_DEFAULT_PATH)  # the system's, where numpy is, before any other
if(NOT CH_PYTHON)
  find_program(CH_PYTHON python3)
endif()
set(CH_PYTHON_MODULE OFF)
if(CH_PYTHON)
  execute_process(COMMAND ${CH_PYTHON} -c
    "import os, sysconfig, setuptools, wheel, numpy, sys; sys.exit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))"
    RESULT_VARIABLE CH_PYTHON_LACKS OUTPUT_QUIET ERROR_QUIET)
  if(CH_PYTHON_LACKS EQUAL 0)
    set(CH_PYTHON_MODULE ON)
  endif()
endif()
if(NOT CH_PYTHON_MODULE)
  message(STATUS "The Python module is left out: it takes python3-dev, python3-setuptools, python3-wheel and python3-numpy")
  return()
endif()

set(CH_PYTHON_FOLDER ${PROJECT_BINARY_DIR}/python)
file(GLOB_RECURSE CH_PYTHON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.[ch]
     ${PROJECT_SOURCE_DIR}/python/cardhouse/*.py ${PROJECT_SOURCE_DIR}/python/cardhouse/*.pyi)
set(CH_PYTHON_SETUP ${CMAKE_COMMAND} -E env CARDHOUSE_BUILD=${PROJECT_BINARY_DIR} CARDHOUSE_SANITIZE=${CH_SANITIZE}
    CARDHOUSE_STRICT=$<$<BOOL:${CH_STRICT}>:1> CC=${CMAKE_C_COMPILER} ${CH_PYTHON} ${PROJECT_SOURCE_DIR}/python/setup.py -q)
set(CH_PYTHON_BASE egg_info --egg-base ${CH_PYTHON_FOLDER}/egg build --build-base ${CH_PYTHON_FOLDER}/work --build-lib ${CH_PYTHON_FOLDER}/lib)

add_custom_command(OUTPUT ${CH_PYTHON_FOLDER}/module.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CH_PYTHON_FOLDER}/lib
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CH_PYTHON_FOLDER}/egg
  COMMAND ${CH_PYTHON_SETUP} ${CH_PYTHON_BASE}
  COMMAND ${CMAKE_COMMAND} -E touch ${CH_PYTHON_FOLDER}/module.stamp
  DEPENDS ${CH_PYTHON_SOURCES} ${PROJECT_SOURCE_DIR}/python/setup.py libcardhouse libcardhouse_io
  COMMENT "Python module cardhouse" VERBATIM)
add_custom_target(python_module DEPENDS ${CH_PYTHON_FOLDER}/module.stamp)

add_custom_target(python_wheel
  COMMAND ${CH_PYTHON_SETUP} ${CH_PYTHON_BASE}
          bdist_wheel --bdist-dir ${CH_PYTHON_FOLDER}/bdist --dist-dir ${CH_PYTHON_FOLDER}
  DEPENDS ${CH_PYTHON_FOLDER}/module.stamp
  COMMENT "Python wheel in ${CH_PYTHON_FOLDER}" VERBATIM)
