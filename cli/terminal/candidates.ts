import type { Command, Option } from 'commander'

/** The line that makes the shell's script complete file names. */
const files = ':files'

/**
 * Lists the candidates that complete the last word: lines with a value, a tab and its description, or `:files`.
 * `words` is the command line without the name of the program.
 */
export function listCandidates(program: Command, words: string[]): string[] {
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

/** Finds the command that the words name, the option that waits for its value, and the position of the next argument. */
function readWords(program: Command, words: string[]) {
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
const findOption = (command: Command, word: string): Option | undefined =>
  command.options.find(({ long, short, required }) => required && [long, short].includes(word))

function listOptions(command: Command, current: string): string[] {
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
