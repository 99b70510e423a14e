import { inspect } from 'node:util'
import { FormatError } from '../domain/format-error.ts'
import { features } from '../features/load.ts'
import { ArgumentError, StartError, StoreError } from '../runtime/host-errors.ts'
import { join } from '../runtime/join.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { buildProgram, type Commands, runProgram } from '../terminal/program.ts'
import { toPlainText } from '../terminal/result.ts'

type LoadCommand = () => Promise<{ command: Command }>

/**
 * The file of each command or group of commands. Such a file imports only what its help needs, and the settings, which
 * are flags in every help; `run` imports the rest.
 */
const files: Record<string, LoadCommand> = {
  serve: () => import('./serve/index.ts'),
  health: () => import('./health.ts'),
  config: () => import('./config.ts'),
  migrate: () => import('./database/migrate.ts'),
  reindex: () => import('./database/reindex.ts'),
  seed: () => import('./database/seed.ts'),
  copy: () => import('./database/copy.ts'),
  doctor: () => import('./doctor/index.ts'),
  import: () => import('./import.ts'),
  export: () => import('./export.ts'),
  template: () => import('./templates.ts'),
  user: () => import('./accounts/users.ts'),
  client: () => import('./accounts/clients.ts'),
  keys: () => import('./accounts/keys.ts'),
  audit: () => import('./audit.ts'),
  schema: () => import('./schema.ts'),
  completion: () => import('./completion.ts'),
  bench: () => import('./bench/index.ts')
}
const all: typeof files = join('commands', files, ...features.map(({ commands }) => commands))
for (const [words, load] of Object.entries(all)) addCommand(words, load)

/** Adds a command of a feature, with two words to a group of the core. */
function addCommand(words: string, load: LoadCommand): void {
  const [name = '', subcommand] = words.split(' ')
  const loadGroup = files[name]
  files[name] =
    subcommand === undefined || !loadGroup
      ? load
      : async () => {
          const [group, added] = await Promise.all([loadGroup(), load()])
          const subcommands = join(`commands ${name}`, group.command.subcommands, {
            [subcommand]: added.command
          })
          return { command: { ...group.command, subcommands } }
        }
}

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 wrong usage or configuration. */
export async function dispatch(words: string[]): Promise<number> {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader such as `head` closes the pipe early.
    if (code === 'EPIPE') return
    console.error(`product-templates: cannot write standard output: ${code}`)
    process.exit(1)
  })
  // A job continues even if its messages cannot be written. The exit code has the result.
  process.stderr.on('error', () => {})
  try {
    if (words[0] === 'complete') await printCandidates(words.slice(2))
    else await runProgram(await loadCommands(words[0]), words, process.env)
    return 0
  } catch (error) {
    console.error(toPlainText(formatError(error)))
    if (error instanceof StartError || error instanceof CommandError) return error.exitCode
    return error instanceof ArgumentError ? 2 : 1
  }
}

/** Answers the scripts of `completion`, which call `complete -- <words>`. */
async function printCandidates(words: string[]): Promise<void> {
  const { listCandidates } = await import('./completion.ts')
  const program = buildProgram(await loadCommands(), process.env)
  for (const line of listCandidates(program, words)) console.log(line)
}

/** Loads the command or group that the first word names; without one, all of them, to list or suggest. */
export async function loadCommands(first = ''): Promise<Commands> {
  const names = Object.hasOwn(files, first) ? [first] : Object.keys(files)
  const load = async (name: string) => [name, (await files[name]!()).command]
  return Object.fromEntries(await Promise.all(names.map(load)))
}

const expected = [CommandError, ArgumentError, StoreError, FormatError]

/** Formats an expected error as one line. An unexpected one, also of Node.js (ERR_…), keeps its stack. */
function formatError(error: unknown): string {
  if (expected.some(type => error instanceof type)) return `product-templates: ${(error as Error).message}`
  // Errors of this package, the system and SQLite have a code: PTS_…, ENOSPC, SQLITE_FULL.
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string' || code.startsWith('ERR_')) return inspect(error)
  // The messages of the system begin with the code.
  return `product-templates: ${message?.startsWith(code) ? message : `${code}: ${message}`}`
}
