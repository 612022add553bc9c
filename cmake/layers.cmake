# trainyard_layer(NAME [LINK lib...]): one library and its test programs from a folder of src/.
# Every *.cc below the folder belongs to the library, every *_test.cc to `NAME_test`, every
# *_slow_test.cc to `NAME_slow_test`, which only `./dev test-slow` runs.
# A layer links only layers of lower rank (ARCHITECTURE.md); tests/include_ranks checks the includes.
function(trainyard_layer name)
  cmake_parse_arguments(ARG "" "" "LINK;TEST_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(slow_tests ${tests})
  list(FILTER tests EXCLUDE REGEX "_slow_test\\.cc$")
  list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cc$")
  if(sources)
    add_library(trainyard_${name} STATIC ${sources})
    target_include_directories(trainyard_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(trainyard_${name} PUBLIC ${ARG_LINK})
  else()
    add_library(trainyard_${name} INTERFACE)
    target_include_directories(trainyard_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(trainyard_${name} INTERFACE ${ARG_LINK})
  endif()
  # One CTest entry per program; run the program itself with --gtest_filter for one test.
  if(TRAINYARD_TESTS AND tests)
    trainyard_test(${name} SOURCES ${tests} LINK trainyard_${name} ${ARG_TEST_LINK} LABELS unit)
  endif()
  if(TRAINYARD_TESTS AND slow_tests)
    trainyard_test(${name}_slow SOURCES ${slow_tests} LINK trainyard_${name} ${ARG_TEST_LINK}
                   LABELS unit slow)
  endif()
endfunction()

# trainyard_test(NAME SOURCES file... [LINK lib...] [LABELS label...]): a GoogleTest program
# `NAME_test`, run by CTest as NAME from the root of the sources. `./dev test` counts its cases
# from the result file.
function(trainyard_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}"
                       ENVIRONMENT GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/results/gtest/${name}.xml)
endfunction()
