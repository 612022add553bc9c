# Writes OUTPUT: kSourcesDigest, from the contents of all sources of the layers LAYERS below SOURCES.
# The order and the paths are the same in every clone, so equal sources give an equal digest.
set(all "")
foreach(layer ${LAYERS})
  file(GLOB_RECURSE files RELATIVE ${SOURCES} ${SOURCES}/${layer}/*.cc ${SOURCES}/${layer}/*.h
       ${SOURCES}/${layer}/*.inc)
  list(FILTER files EXCLUDE REGEX "_test\\.(cc|h)$|/testing/")
  list(SORT files)
  foreach(file ${files})
    file(SHA256 ${SOURCES}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUTPUT} "// Written by cmake/sources_digest.cmake.
#include \"compiler/file/sources_digest.h\"

namespace trainyard::compiler {
extern const std::string_view kSourcesDigest;
const std::string_view kSourcesDigest = \"${digest}\";
}  // namespace trainyard::compiler
")
