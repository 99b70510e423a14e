import type { Command as Commander, Option } from 'commander'
import { type Command, UsageError } from '../terminal/command.ts'

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

/** The line that makes the shell's script complete file names. */
const files = ':files'

/**
 * Lists the candidates that complete the last word: lines with a value, a tab and its description, or `:files`.
 * `words` is the command line without the name of the program.
 */
export function listCandidates(program: Commander, words: string[]): string[] {
  const current = words.at(-1) ?? ''
  const { command, option, position } = readWords(program, words.slice(0, -1))
  if (option) return listValues(option.argChoices, option.flags, current)
  if (current.startsWith('-')) return listOptions(command, current)
  const subcommands = position === 0 ? command.commands : []
  if (subcommands.length > 0)
    return subcommands
      .map(sub => `${sub.name()}\t${sub.description()}`)
      .filter(line => line.startsWith(current))
  const { registeredArguments: all } = command
  const argument = all[position] ?? all.findLast(({ variadic }) => variadic)
  return argument ? listValues(argument.argChoices, argument.name(), current) : []
}

/** Finds the command that the words name, an option without its value, and the position of the next argument. */
function readWords(program: Commander, words: string[]) {
  let command = program
  let option: Option | undefined
  let position = 0
  for (const word of words) {
    if (option) option = undefined
    else if (word.startsWith('-')) option = findOption(command, word)
    else {
      const sub = position === 0 ? command.commands.find(each => each.name() === word) : undefined
      if (!sub) position++
      command = sub ?? command
    }
  }
  return { command, option, position }
}

/** Finds an option that takes the next word as its value. */
const findOption = (command: Commander, word: string): Option | undefined =>
  command.options.find(({ long, short, required }) => required && [long, short].includes(word))

function listOptions(command: Commander, current: string): string[] {
  const options = command.createHelp().visibleOptions(command)
  return options
    .map(({ long, description }) => `${long}\t${description}`)
    .filter(line => line.startsWith(current))
}

/** Lists the known values. Without known values, returns `:files` if the name says that the value is a file. */
function listValues(values: readonly string[] | undefined, name: string, current: string): string[] {
  if (values) return values.filter(value => value.startsWith(current))
  return /file|path/.test(name) ? [files] : []
}
