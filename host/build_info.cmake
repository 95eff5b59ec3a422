# Run at every build (cmake -P): fills build_info.cpp.in with the commit that is being built.
# In: source, template, output, version, build_type, compilers, backends, architectures.
find_program(git git)
set(git_commit "unknown")
set(git_dirty "false")
if(git AND EXISTS ${source}/.git)
  execute_process(
    COMMAND ${git} -C ${source} rev-parse HEAD
    OUTPUT_VARIABLE commit
    RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(git_commit ${commit})
    execute_process(COMMAND ${git} -C ${source} diff --quiet HEAD RESULT_VARIABLE differs ERROR_QUIET)
    if(differs)
      set(git_dirty "true")
    endif()
  endif()
endif()
configure_file(${template} ${output} @ONLY)
