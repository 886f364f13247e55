"""What shells are told: each asks `corral` with the words so far, and gets lines of kind, value and help."""

from typing import Final

BASH: Final = r"""# corral completion for bash: source it, or put it into ~/.local/share/bash-completion/completions/corral
_corral() {
    local program=$1 kind value help
    type -P -- "$program" > /dev/null || program=corral
    COMPREPLY=()
    while IFS=$'\t' read -r kind value help; do
        case $kind in
            file) compopt -o default 2> /dev/null ;;
            folder) compopt -o dirnames 2> /dev/null ;;
            *) COMPREPLY+=("$value") ;;
        esac
    done < <(_CORRAL_COMPLETE=bash "$program" "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
}
complete -o nosort -F _corral corral 2> /dev/null || complete -F _corral corral
"""

ZSH: Final = r"""#compdef corral
# corral completion for zsh: source it behind compinit, or put it as _corral into a folder of $fpath
_corral() {
    local -a plain described
    local kind value help
    while IFS=$'\t' read -r kind value help; do
        case $kind in
            file) _files ;;
            folder) _files -/ ;;
            *) if [[ -n $help ]]; then described+=("${value//:/\\:}:$help"); else plain+=("$value"); fi ;;
        esac
    done < <(_CORRAL_COMPLETE=zsh corral "${(@Q)words[2,CURRENT]}" 2> /dev/null)
    (( $#described )) && _describe -V corral described
    (( $#plain )) && compadd -V corral -a plain
}
if [[ $funcstack[1] == _corral ]]; then _corral "$@"; else compdef _corral corral; fi
"""

FISH: Final = r"""# corral completion for fish: source it, or put it into ~/.config/fish/completions/corral.fish
function __corral_complete
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l current (commandline -ct)
    for line in (_CORRAL_COMPLETE=fish corral $typed "$current" 2>/dev/null)
        set -l part (string split \t -- $line)
        switch $part[1]
            case file
                __fish_complete_path "$current"
            case folder
                __fish_complete_directories "$current"
            case '*'
                string join \t -- $part[2..-1]
        end
    end
end
complete -c corral -f -a '(__corral_complete)'
"""

SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}
