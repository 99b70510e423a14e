import { inspect } from 'node:util'
import { AccountError, ArgumentError, StartError } from '../errors.ts'
import { type Command, CommandError, UsageError } from './terminal/command.ts'
import { toPlainText } from './terminal/plain-text.ts'
import { buildProgram, type Commands, type ProgramOptions, runProgram } from './terminal/program.ts'
import { readVersion } from './version.ts'

/** Every command, loaded from its own file. A file loads at once only what its help needs; `run` loads the rest. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  serve: () => import('./serve/index.ts'),
  health: () => import('./health.ts'),
  config: () => import('./config/index.ts'),
  'config check': () => import('./config/check.ts'),
  migrate: () => import('./migrate.ts'),
  reindex: () => import('./reindex.ts'),
  seed: () => import('./seed.ts'),
  copy: () => import('./copy.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  doctor: () => import('./doctor/index.ts'),
  import: () => import('./import.ts'),
  export: () => import('./export.ts'),
  'template list': () => import('./template/list.ts'),
  'template show': () => import('./template/show.ts'),
  'template history': () => import('./template/history.ts'),
  'template diff': () => import('./template/diff.ts'),
  'template restore': () => import('./template/restore.ts'),
  'user add': () => import('./user/add.ts'),
  'user list': () => import('./user/list.ts'),
  'user show': () => import('./user/show.ts'),
  'user set': () => import('./user/set.ts'),
  'user passwd': () => import('./user/passwd.ts'),
  'user disable': () => import('./user/disable.ts'),
  'user enable': () => import('./user/enable.ts'),
  'user consents': () => import('./user/consents.ts'),
  'user remove': () => import('./user/remove.ts'),
  'client add': () => import('./client/add.ts'),
  'client list': () => import('./client/list.ts'),
  'client show': () => import('./client/show.ts'),
  'client set': () => import('./client/set.ts'),
  'client secret': () => import('./client/secret.ts'),
  'client disable': () => import('./client/disable.ts'),
  'client enable': () => import('./client/enable.ts'),
  'client remove': () => import('./client/remove.ts'),
  'keys list': () => import('./keys/list.ts'),
  'keys rotate': () => import('./keys/rotate.ts'),
  'keys reencrypt': () => import('./keys/reencrypt.ts'),
  'keys retire': () => import('./keys/retire.ts'),
  schema: () => import('./schema.ts'),
  completion: () => import('./completion/index.ts'),
  bench: () => import('./bench/index.ts')
}

/** One line for each group of commands. */
const groups: Record<string, string> = {
  template: 'Show and restore templates',
  user: 'Add, change and remove users',
  client: 'Add, change and remove OAuth clients',
  keys: 'Rotate, retire and encrypt signing keys'
}

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 wrong usage or configuration. */
export async function dispatch(words: string[]): Promise<number> {
  // A reader such as `head` has seen enough.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
  try {
    const options = { version: readVersion(), groups, env: process.env }
    if (words[0] === 'complete') await printCandidates(words.slice(2), options)
    else await runProgram(await loadCommands(words), words, options)
    return 0
  } catch (error) {
    console.error(toPlainText(formatError(error)))
    if (error instanceof StartError || error instanceof CommandError) return error.exitCode
    return error instanceof UsageError || error instanceof ArgumentError ? 2 : 1
  }
}

/** What the scripts of `completion` ask for: `complete -- <words>`. */
async function printCandidates(words: string[], options: ProgramOptions): Promise<void> {
  const { listCandidates } = await import('./completion/candidates.ts')
  for (const line of listCandidates(buildProgram(await loadCommands([]), options), words)) console.log(line)
}

/** Loads the command that the words name or, for a list or a suggestion, all of them. */
async function loadCommands(words: string[]): Promise<Commands> {
  const named = [words.slice(0, 2).join(' '), words[0] ?? ''].find(name => Object.hasOwn(commands, name))
  const load = async (name: string): Promise<[string, Command | undefined]> => [
    name,
    named === undefined || named === name ? (await commands[name]?.())?.command : undefined
  ]
  return Object.fromEntries(await Promise.all(Object.keys(commands).map(load)))
}

const expected = [UsageError, CommandError, ArgumentError, AccountError]

/** Formats expected errors as one line; unexpected ones keep their stack. */
function formatError(error: unknown): string {
  if (expected.some(type => error instanceof type)) return `product-templates: ${(error as Error).message}`
  // Errors of this package, the system and SQLite have a code: PTS_…, ENOSPC, SQLITE_FULL.
  const { code, message } = error as { code?: unknown; message?: string }
  return typeof code === 'string' ? `product-templates: ${code}: ${message}` : inspect(error)
}
