import { type Command, UsageError } from './terminal/command.ts'

/**
 * Scripts for shells. Each passes the typed words to `product-templates complete`; the last word may be incomplete.
 * No script evaluates a word.
 */
const scripts: Record<string, string> = {
  bash: `_product_templates() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(product-templates complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _product_templates product-templates
`,
  zsh: `#compdef product-templates
_product_templates() {
  local line
  local -a items
  for line in "\${(@f)$(product-templates complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    [[ -n $line ]] && items+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  _describe product-templates items
}
if [[ $funcstack[1] == _product_templates ]]; then
  _product_templates "$@"
else
  compdef _product_templates product-templates
fi
`,
  fish: `function __product_templates_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (product-templates complete -- $words[2..] 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path (commandline -ct)
    else
        string join \\n -- $lines
    end
end
complete -c product-templates -f -a '(__product_templates_complete)'
`
}

export const command: Command = {
  summary: 'Print a script that completes commands in a shell',
  args: '<shell>',
  settings: 'none',
  details: `
<shell> is ${Object.keys(scripts).join(', ')}. For example, add to ~/.bashrc: source <(product-templates completion bash)`,
  async run(_call, shell) {
    const script = scripts[shell]
    if (script === undefined) throw new UsageError(`<shell> must be ${Object.keys(scripts).join(', ')}`)
    process.stdout.write(script)
  }
}
