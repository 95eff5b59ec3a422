# cmake -P: fails when a file includes what lies above its own folder. In: source, the repository root.
set(kernels_must_not_include "(partition|io|host|tests)")
set(partition_must_not_include "(io|host|tests)")
set(io_must_not_include "(partition|host|tests)")
set(host_must_not_include "(tests)")
# The rooms of kernels/, each above those before it.
set(kernels_order base world outcome state team routing congestion fabric transport collective expand observe boundary
                  tick restart backends engine)

function(sources_of folder out)
  file(GLOB_RECURSE files ${source}/${folder}/*.hpp ${source}/${folder}/*.cpp ${source}/${folder}/*.cu
       ${source}/${folder}/*.cuh)
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# Appends "file: include" to `wrong` for every include of one of `files` that begins with `pattern`, but not `allowed`.
function(forbid files pattern allowed)
  foreach(file IN LISTS files)
    file(STRINGS ${file} includes REGEX "^ *# *include *[<\"]${pattern}/")
    if(allowed)
      list(FILTER includes EXCLUDE REGEX "[<\"]${allowed}/")
    endif()
    foreach(line IN LISTS includes)
      file(RELATIVE_PATH name ${source} ${file})
      string(APPEND wrong "  ${name}: ${line}\n")
    endforeach()
  endforeach()
  set(wrong "${wrong}" PARENT_SCOPE)
endfunction()

set(wrong "")
foreach(folder kernels partition io host)
  sources_of(${folder} files)
  forbid("${files}" "${${folder}_must_not_include}" "")
endforeach()
if(wrong)
  message(FATAL_ERROR "These includes climb up the house (allowed: host -> {io, partition} -> kernels), so the lower part "
                      "could no longer be used or tested without the upper:\n${wrong}"
                      "Move what is shared down, or pass it in from above.")
endif()

set(above "${kernels_order}")
foreach(room IN LISTS kernels_order)
  sources_of(kernels/${room} files)
  list(APPEND housed ${files})
  list(POP_FRONT above)
  list(JOIN above "|" upper)
  if(upper)
    forbid("${files}" "kernels/(${upper})" "")
  endif()
endforeach()
if(wrong)
  list(JOIN kernels_order ", " order)
  message(FATAL_ERROR "These includes climb up inside kernels/ (from the bottom: ${order}):\n${wrong}"
                      "Move what is shared down, or pass it in from above.")
endif()

sources_of(kernels all)
list(REMOVE_ITEM all ${housed})
if(all)
  message(FATAL_ERROR "These files of kernels/ are in no room that this test knows: ${all}\n"
                      "Put them into one, or give the new room its place in kernels_order.")
endif()

# The oracle sees what is simulated and what is to be said of it, nothing of the engine.
sources_of(tests/oracle oracle)
list(FILTER oracle EXCLUDE REGEX "_test\\.cpp$")
forbid("${oracle}" "kernels" "kernels/(base|world|outcome)")
if(wrong)
  message(FATAL_ERROR "The oracle must not use the engine, or it would share its mistakes:\n${wrong}"
                      "It may include kernels/base, kernels/world and kernels/outcome.")
endif()

# A header may come in twice.
foreach(folder kernels partition io host tests)
  sources_of(${folder} files)
  list(FILTER files INCLUDE REGEX "\\.(hpp|cuh)$")
  foreach(file IN LISTS files)
    file(STRINGS ${file} guard LIMIT_COUNT 1 REGEX "^#pragma once$")
    if(NOT guard)
      message(FATAL_ERROR "${file} has no line '#pragma once', so a file that includes it twice does not compile.")
    endif()
  endforeach()
endforeach()
