import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const ownMain = new URL('../dist/cli/main.js', import.meta.url).pathname

/** Creates a database with `count` templates in the folder; returns its URL. */
export async function seedDatabase(folder: string, count: number): Promise<string> {
  const url = `sqlite:${join(folder, `${count}.db`)}`
  const env = { ...process.env, DATABASE_URL: url }
  await promisify(execFile)(process.execPath, [ownMain, 'seed', '--load', String(count)], { env })
  return url
}

/** Starts the compiled service, or that of another checkout, with default settings in its own process. */
export async function startService(database: string, words: string[] = [], main = ownMain) {
  const begin = performance.now()
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database,
    PORT: '0',
    ADDRESS_LIMIT: '0',
    CLIENT_LIMIT: '0'
  }
  const child = spawn(process.execPath, [main, 'serve', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const lines = createInterface(child.stdout)
  const [line] = await once(lines, 'line')
  const milliseconds = performance.now() - begin
  lines.close()
  child.stdout.resume()
  return {
    url: JSON.parse(line).msg.replace('Server listening at ', '') as string,
    milliseconds,
    /** Resident memory, on Linux. */
    mebibytes() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(status.match(/VmRSS:\s+(\d+) kB/)?.[1]) / 1024
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
}

/** Starts a node:http server that sends `answer` from a buffer; no JavaScript server responds faster. */
export async function startReference(answer: string) {
  const source = `(${reference})(${JSON.stringify(answer)})`
  const child = spawn(process.execPath, ['--input-type=module', '-'], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(`import { createServer } from 'node:http'\n${source}`)
  const [port] = await once(createInterface(child.stdout), 'line')
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
}

/** Runs in the other process, so it can use only what is imported there. */
function reference(text: string) {
  const bytes = Buffer.from(text)
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
        .end(bytes)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}
