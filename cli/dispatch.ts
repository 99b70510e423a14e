import { readFileSync } from 'node:fs'
import { AccountError, ArgumentError, StartError } from '../errors.ts'
import { findNearest } from '../options/check.ts'
import { type Command, CommandError, formatHelp, parseCall, UsageError } from './terminal/command.ts'

/** Every command, loaded from its own file. A file loads at once only what its help needs; `run` loads the rest. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  serve: () => import('./serve/index.ts'),
  migrate: () => import('./migrate.ts'),
  reindex: () => import('./reindex.ts'),
  seed: () => import('./seed.ts'),
  copy: () => import('./copy.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  import: () => import('./import.ts'),
  export: () => import('./export.ts'),
  'template list': () => import('./template/list.ts'),
  'template show': () => import('./template/show.ts'),
  'template history': () => import('./template/history.ts'),
  'template diff': () => import('./template/diff.ts'),
  'template restore': () => import('./template/restore.ts'),
  'user add': () => import('./user/add.ts'),
  'user list': () => import('./user/list.ts'),
  'user passwd': () => import('./user/passwd.ts'),
  'user disable': () => import('./user/disable.ts'),
  'user enable': () => import('./user/enable.ts'),
  'client add': () => import('./client/add.ts'),
  'client list': () => import('./client/list.ts'),
  'client secret': () => import('./client/secret.ts'),
  'client disable': () => import('./client/disable.ts'),
  'client enable': () => import('./client/enable.ts'),
  'keys list': () => import('./keys/list.ts'),
  'keys rotate': () => import('./keys/rotate.ts'),
  'keys retire': () => import('./keys/retire.ts'),
  bench: () => import('./bench/index.ts')
}

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 wrong usage or configuration. */
export async function dispatch(words: string[]): Promise<number> {
  try {
    if (words.includes('--version') && !findCommand(words)) console.log(readVersion())
    else await run(words)
    return 0
  } catch (error) {
    console.error(formatError(error))
    if (error instanceof StartError) return error.exitCode
    return error instanceof UsageError || error instanceof ArgumentError ? 2 : 1
  }
}

const expected = [UsageError, CommandError, ArgumentError, AccountError]

/** Formats expected errors as one line; unexpected ones keep their stack. */
function formatError(error: unknown): unknown {
  if (expected.some(type => error instanceof type)) return `product-templates: ${(error as Error).message}`
  // Errors of this package, the system and SQLite have a code: PTS_…, ENOSPC, SQLITE_FULL.
  const { code, message } = error as { code?: unknown; message?: string }
  return typeof code === 'string' ? `product-templates: ${code}: ${message}` : error
}

async function run(words: string[]): Promise<void> {
  const name = findCommand(words)
  if (!name) return runWithoutCommand(words)
  const load = commands[name] as () => Promise<{ command: Command }>
  const { command } = await load()
  const rest = words.slice(name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) console.log(formatHelp(name, command))
  else await command.run(parseCall(command, rest, process.env))
}

const findCommand = (words: string[]): string | undefined =>
  [words.slice(0, 2).join(' '), words[0] ?? ''].find(name => Object.hasOwn(commands, name))

/** Prints the help if asked to. Throws UsageError for a missing or unknown command. */
async function runWithoutCommand(words: string[]): Promise<void> {
  const known = Object.keys(commands)
  const [group = '', ...more] = words.filter(word => !word.startsWith('-'))
  const inGroup = known.filter(name => name.startsWith(`${group} `))
  const text = await formatUsage(inGroup.length > 0 ? inGroup : known)
  if (words.includes('--help') || words.includes('-h')) return console.log(text)
  const given = [group, ...more].join(' ')
  if (given === '' || (inGroup.length > 0 && more.length === 0))
    throw new UsageError(`a command is missing\n\n${text}`)
  const near = findNearest(given, known) ?? findNearest(group, known)
  throw new UsageError(`unknown command "${given}"${near ? `: did you mean "${near}"?` : ''}`)
}

async function formatUsage(names: string[]): Promise<string> {
  const lines = names.map(async name => `  ${name.padEnd(18)} ${(await commands[name]?.())?.command.summary}`)
  return `Usage: product-templates <command> [options]

Commands:
${(await Promise.all(lines)).join('\n')}

Settings are environment variables, listed in docs/configuration.md.
Run \`product-templates <command> --help\` for details of a command.`
}

function readVersion(): string {
  // package.json is one level up from the sources and two from the compiled code.
  const [manifest] = ['../package.json', '../../package.json'].flatMap(path => {
    try {
      return [JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))]
    } catch {
      return []
    }
  })
  return manifest.version
}
