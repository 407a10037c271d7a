# Completion of einvoiced for fish: einvoiced completion fish | source
function __einvoiced_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c einvoiced -f -a '(__einvoiced_complete)'
