#compdef einvoiced
# Completion of einvoiced for zsh: source <(einvoiced completion zsh), or this as _einvoiced in a folder of $fpath.
_einvoiced() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then
    _describe -t words 'einvoiced' found
  else
    _files
  fi
}
if [ "${funcstack[1]}" = _einvoiced ]; then
  _einvoiced "$@"
else
  compdef _einvoiced einvoiced
fi
