# cmake -P: fails when a file includes from a folder above its own. In: source, the repository root.
set(kernels_must_not_include "(partition|io|host|tests)")
set(partition_must_not_include "(io|host|tests)")
set(io_must_not_include "(partition|host|tests)")
set(host_must_not_include "(tests)")

set(wrong "")
foreach(folder kernels partition io host)
  file(GLOB_RECURSE files ${source}/${folder}/*.hpp ${source}/${folder}/*.cpp ${source}/${folder}/*.cu
       ${source}/${folder}/*.cuh)
  foreach(file IN LISTS files)
    file(STRINGS ${file} includes REGEX "^ *# *include *[<\"]${${folder}_must_not_include}/")
    foreach(line IN LISTS includes)
      file(RELATIVE_PATH name ${source} ${file})
      string(APPEND wrong "  ${name}: ${line}\n")
    endforeach()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "These includes climb up the house (allowed: host -> {io, partition} -> kernels), so the lower part "
                      "could no longer be used or tested without the upper:\n${wrong}"
                      "Move what is shared down, or pass it in from above.")
endif()
