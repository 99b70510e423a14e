import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { type Commands, runProgram } from '../../../terminal/program.ts'
import { migratedUrl } from '../database/database.ts'
import { NODE_COMPILE_CACHE } from '../environment.ts'
import { logDirectory } from './secrets.ts'

export interface Ended {
  /** null if a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A running command. It is killed at the end of the test. */
export interface Running {
  child: ChildProcessWithoutNullStreams
  /** Resolves with the first matching line of the stream. Rejects if the process ends without one. */
  line(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>
  ended: Promise<Ended>
}

/** Arguments of `env` that remove the variables of the test runner. */
export const withoutRunner = ['-u', 'NODE_OPTIONS']

/** The command as words of a shell, for tests that start it themselves. {@link NODE_COMPILE_CACHE} makes it faster. */
export const command = [process.execPath, new URL('../../../cli/main.ts', import.meta.url).pathname]

/** Starts `product-templates …words` with cheap hashes, only this environment, and the `limits` of a shell. */
export function start(t: Test, words: string[], env: Record<string, string> = {}, limits = ''): Running {
  const { NODE_OPTIONS, ...more } = env
  const given = NODE_OPTIONS === undefined ? [] : [`NODE_OPTIONS=${NODE_OPTIONS}`]
  const child = spawn(
    'sh',
    [...['-c', `${limits}\nexec env "$@"`, 'sh', ...withoutRunner, ...given], ...[...command, ...words]],
    {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, PASSWORD_MEMORY: '7168', ...more }
    }
  )
  t.teardown(() => child.kill('SIGKILL'))
  if (words[0] === 'serve') {
    mkdirSync(logDirectory, { recursive: true })
    child.stdout.pipe(createWriteStream(new URL(`${randomUUID()}.log`, logDirectory)))
  }
  const text = { stdout: '', stderr: '' }
  const lines = { stdout: createInterface(child.stdout), stderr: createInterface(child.stderr) }
  // Collects whole lines, because the last one may be incomplete.
  const seen: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] }
  for (const stream of ['stdout', 'stderr'] as const) {
    lines[stream].on('line', line => seen[stream].push(line))
    child[stream].setEncoding('utf8').on('data', chunk => {
      text[stream] += chunk
    })
  }
  const ended = new Promise<Ended>(resolve => {
    child.once('close', (code, signal) => resolve({ code, signal, ...text }))
  })
  return {
    child,
    ended,
    line: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const found = seen[stream].find(line => pattern.test(line))
        if (found !== undefined) resolve(found)
        lines[stream].on('line', line => pattern.test(line) && resolve(line))
        ended.then(end => reject(new Error(`ended without ${pattern}: ${JSON.stringify(end)}`)))
      })
  }
}

/** `NODE_OPTIONS` that keep a process from ending before the test kills it, however late that is. */
export const untilKilled = `--import=data:text/javascript,${encodeURIComponent(`
import { isMainThread } from 'node:worker_threads'
const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
if (isMainThread) process.once('exit', wait)`)}`

/** Runs a command to its end with `input` on its standard input. */
export function run(
  t: Test,
  words: string[],
  env: Record<string, string> = {},
  input: string | Buffer = ''
): Promise<Ended> {
  const { child, ended } = start(t, words, env)
  child.stdin.end(input)
  return ended
}

/** Runs a command in this process. Rejects with the error of the command. */
export const runHere = (
  commands: Commands,
  words: readonly string[],
  env: Record<string, string>
): Promise<void> => runProgram(commands, [...words], env)

/** Creates a migrated database. Returns the environment for commands on it. */
export const migrated = async (t: Test) => ({ DATABASE_URL: await migratedUrl(t), PASSWORD_MEMORY: '7168' })

/** Starts `serve` on a free port and waits until it is ready. */
export async function serve(t: Test, words: string[], env: Record<string, string>, limits = '') {
  const running = start(t, ['serve', ...words], { PORT: '0', ...env }, limits)
  const line = await running.line('stdout', /Server listening at/)
  return { ...running, url: JSON.parse(line).msg.replace('Server listening at ', '') as string }
}
