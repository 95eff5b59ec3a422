# cmake -P: fails when a file includes from a folder above its own. In: source, the repository root.
set(kernels_must_not_include "(partition|io|host|tests)")
set(partition_must_not_include "(io|host|tests)")
set(io_must_not_include "(partition|host|tests)")
set(host_must_not_include "(tests)")
# The rooms of kernels/, each above those before it.
set(kernels_order base world outcome state team routing fabric transport collective expand observe boundary tick restart
                  backends engine)

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

set(above "${kernels_order}")
foreach(room IN LISTS kernels_order)
  list(POP_FRONT above)
  list(JOIN above "|" upper)
  file(GLOB_RECURSE files ${source}/kernels/${room}/*.hpp ${source}/kernels/${room}/*.cpp ${source}/kernels/${room}/*.cu
       ${source}/kernels/${room}/*.cuh)
  foreach(file IN LISTS files)
    list(APPEND housed ${file})
    if(NOT upper)
      continue()
    endif()
    file(STRINGS ${file} includes REGEX "^ *# *include *[<\"]kernels/(${upper})/")
    foreach(line IN LISTS includes)
      file(RELATIVE_PATH name ${source} ${file})
      string(APPEND wrong "  ${name}: ${line}\n")
    endforeach()
  endforeach()
endforeach()
if(wrong)
  list(JOIN kernels_order ", " order)
  message(FATAL_ERROR "These includes climb up inside kernels/ (from the bottom: ${order}):\n${wrong}"
                      "Move what is shared down, or pass it in from above.")
endif()

file(GLOB_RECURSE all ${source}/kernels/*.hpp ${source}/kernels/*.cpp ${source}/kernels/*.cu ${source}/kernels/*.cuh)
list(REMOVE_ITEM all ${housed})
if(all)
  message(FATAL_ERROR "These files of kernels/ are in no room that this test knows: ${all}\n"
                      "Put them into one, or give the new room its place in kernels_order.")
endif()

# The oracle sees what is simulated and what is to be said of it, nothing of the engine.
file(GLOB_RECURSE oracle ${source}/tests/oracle/*.hpp ${source}/tests/oracle/*.cpp)
list(FILTER oracle EXCLUDE REGEX "_test\\.cpp$")
foreach(file IN LISTS oracle)
  file(STRINGS ${file} includes REGEX "^ *# *include *[<\"]kernels/")
  list(FILTER includes EXCLUDE REGEX "kernels/(base|world|outcome)/")
  foreach(line IN LISTS includes)
    file(RELATIVE_PATH name ${source} ${file})
    string(APPEND wrong "  ${name}: ${line}\n")
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "The oracle must not use the engine, or it would share its mistakes:\n${wrong}"
                      "It may include kernels/base, kernels/world and kernels/outcome.")
endif()
