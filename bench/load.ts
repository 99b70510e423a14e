import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { LoadResult } from '../cli/bench/load.ts'
import { pinTo } from './cores.ts'

/** The options of a load. */
export interface LoadOptions {
  url: string
  headers: Record<string, string>
  body: string
  connections: number
  seconds: number
  /** Whether every request has a different text: a number replaces {@link numberPlace} in the body. */
  varied?: boolean
  /** One token per connection; each response contains the next one. It replaces {@link tokenPlace} in the body. */
  refreshTokens?: string[]
}

export const numberPlace = '0000000'
export const tokenPlace = 'REFRESH_TOKEN'

/** Loads a server from a separate process. */
export async function runLoad(
  options: LoadOptions,
  {
    core,
    program = 'autocannon'
  }: { core?: number | undefined; program?: 'autocannon' | 'wrk' | undefined } = {}
): Promise<LoadResult> {
  const file = program === 'wrk' && !options.refreshTokens ? 'load-wrk.ts' : 'load-autocannon.ts'
  const path = new URL(file, import.meta.url).pathname
  const [command = '', ...words] = pinTo(core, [process.execPath, path])
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(options))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (output === '') throw new Error(`${file} failed`)
  return JSON.parse(output)
}
