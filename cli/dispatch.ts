import { readFileSync } from 'node:fs'
import { StartError } from '../errors.ts'
import { findNearest } from '../options-check.ts'
import { type Command, CommandError, help, parseCall, UsageError } from './terminal/command.ts'

/** Every command and its file. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  serve: () => import('./serve/index.ts'),
  migrate: () => import('./migrate.ts'),
  seed: () => import('./seed.ts'),
  copy: () => import('./copy.ts'),
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
  'keys retire': () => import('./keys/retire.ts')
}

/** Runs one command; what comes back is the exit code: 0 fine, 1 failed, 2 wrong usage or configuration. */
export async function dispatch(words: string[]): Promise<number> {
  try {
    if (words.includes('--version') && !find(words)) console.log(version())
    else await run(words)
    return 0
  } catch (error) {
    console.error(complaint(error))
    if (error instanceof StartError) return error.exitCode
    return error instanceof UsageError ? 2 : 1
  }
}

/** One line for what can go wrong; the whole stack for what should not. */
function complaint(error: unknown): unknown {
  if (error instanceof UsageError || error instanceof CommandError)
    return `product-templates: ${error.message}`
  // Ours, the system's and SQLite's errors have a code: PTS_…, ENOSPC, SQLITE_FULL.
  const { code, message } = error as { code?: unknown; message?: string }
  return typeof code === 'string' ? `product-templates: ${code}: ${message}` : error
}

async function run(words: string[]): Promise<void> {
  const name = find(words)
  if (!name) return overview(words)
  const load = commands[name] as () => Promise<{ command: Command }>
  const { command } = await load()
  const rest = words.slice(name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) console.log(help(name, command))
  else await command.run(parseCall(command, rest, process.env))
}

const find = (words: string[]): string | undefined =>
  [words.slice(0, 2).join(' '), words[0] ?? ''].find(name => Object.hasOwn(commands, name))

/** No command was named, or none that there is. */
async function overview(words: string[]): Promise<void> {
  const known = Object.keys(commands)
  const [group = '', ...more] = words.filter(word => !word.startsWith('-'))
  const inGroup = known.filter(name => name.startsWith(`${group} `))
  const text = await usage(inGroup.length > 0 ? inGroup : known)
  if (words.includes('--help') || words.includes('-h')) return console.log(text)
  const asked = [group, ...more].join(' ')
  if (asked === '' || (inGroup.length > 0 && more.length === 0))
    throw new UsageError(`a command is missing\n\n${text}`)
  const near = findNearest(asked, known) ?? findNearest(group, known)
  throw new UsageError(`there is no command "${asked}"${near ? `: did you mean "${near}"?` : ''}`)
}

async function usage(names: string[]): Promise<string> {
  const lines = names.map(async name => `  ${name.padEnd(16)} ${(await commands[name]?.())?.command.summary}`)
  return `Usage: product-templates <command> [options]

Commands:
${(await Promise.all(lines)).join('\n')}

Settings come from environment variables: docs/configuration.md lists them.
\`product-templates <command> --help\` tells more of each.`
}

function version(): string {
  // The package's own file, one level up from the sources and two from the compiled code.
  const [manifest] = ['../package.json', '../../package.json'].flatMap(path => {
    try {
      return [JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))]
    } catch {
      return []
    }
  })
  return manifest.version
}
