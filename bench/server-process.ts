import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pinTo } from './cores.ts'

/** A server in a separate process. */
export interface ServerProcess {
  /** The parsed first line of its output. */
  firstLine: Record<string, string>
  pid: number
  /** Milliseconds from the start of the process to that line. */
  milliseconds: number
  /** Resident memory; NaN if the system is not Linux. */
  mebibytes(): number
  /** Processor time of all its threads; NaN if the system is not Linux. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** Ticks of /proc/<pid>/stat per second: USER_HZ, which is 100 on every architecture that Node.js supports. */
const ticksPerSecond = 100

/** Milliseconds between two checks of a server's output. */
const pollInterval = 5

/**
 * Runs `node …words` and waits for its first line, which is JSON. Throws if the process ends without one. Its output
 * goes to a file, because reading a pipe would cost the server or the load generator processor time.
 */
export async function startServer(
  words: string[],
  { env = {}, core }: { env?: Record<string, string>; core?: number | undefined } = {}
): Promise<ServerProcess> {
  const begin = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'product-templates-server-'))
  const path = join(folder, 'log')
  const log = await open(path, 'w')
  const [command = '', ...rest] = pinTo(core, [process.execPath, ...words])
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', log.fd, 'pipe']
  })
  await log.close()
  let complaint = ''
  child.stderr?.on('data', chunk => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  let isRunning = true
  const ended = once(child, 'exit').finally(() => {
    isRunning = false
    return rm(folder, { recursive: true, force: true })
  })
  let line: string | undefined
  while (isRunning && line === undefined) {
    await setTimeout(pollInterval)
    line = await readFirstLine(path)
  }
  if (line === undefined) throw new Error(`${words.join(' ')} ended without a line: ${complaint}`)
  const milliseconds = performance.now() - begin
  return {
    firstLine: JSON.parse(line),
    pid: child.pid as number,
    milliseconds,
    mebibytes: () => Number(readProcess(child.pid, 'status').match(/VmRSS:\s+(\d+) kB/)?.[1]) / 1024,
    cpuSeconds: () => {
      // The second field is the program's name in parentheses. utime and stime are fields 14 and 15.
      const fields = readProcess(child.pid, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    }
  }
}

/** Returns the first line of a file; undefined until it is complete. */
async function readFirstLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.includes('\n') ? text.slice(0, text.indexOf('\n')) : undefined
}

/** Reads a file of /proc/<pid>. Empty on other systems than Linux. */
export function readProcess(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
