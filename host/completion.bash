# bash completion of heddle: commands, then their options as --help lists them, else files.
_heddle() {
  local word=${COMP_WORDS[COMP_CWORD]} words
  if ((COMP_CWORD == 1)); then
    words=$("${COMP_WORDS[0]}" --help 2>/dev/null | awk '/^Subcommands:/ { listed = 1; next } /^$/ { listed = 0 } listed { print $1 }')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
  elif [[ $word == -* ]]; then
    words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _heddle heddle
