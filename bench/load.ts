import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { LoadResult } from '../cli/bench/load.ts'
import { pinTo } from './cores.ts'

/** `paced` sends requests at a fixed rate; the others send each after the answer to one before. */
export type LoadProgram = 'autocannon' | 'wrk' | 'paced'

export type Numbers = Record<string, readonly number[]>

/** The options of a load. */
export interface LoadOptions {
  url: string
  headers: Record<string, string>
  body: string
  connections: number
  seconds: number
  /** Whether every request is different: a number replaces {@link numberPlace} in the body. */
  varied?: boolean
  /** Numbers by the name of their place in the body. In each request, a random one replaces the place. */
  numbers?: Numbers
  /** One token per connection; each response contains the next one. It replaces {@link tokenPlace} in the body. */
  refreshTokens?: string[]
}

export const numberPlace = '0000000'
export const tokenPlace = 'REFRESH_TOKEN'
/** The place of {@link LoadOptions.numbers}: a string in JSON. */
export const placeOf = (name: string): string => `@${name}`

/** Returns the body of a request, with `number` at {@link numberPlace} and random ones of the other numbers. */
export function fillBody(body: string, number: number, numbers: Numbers = {}): string {
  let filled = body.replace(numberPlace, String(number))
  for (const [name, choices] of Object.entries(numbers)) {
    const chosen = choices[Math.floor(Math.random() * choices.length)]
    filled = filled.replace(JSON.stringify(placeOf(name)), String(chosen))
  }
  return filled
}

/** Loads a server from a separate process. */
export async function runLoad(
  options: LoadOptions,
  { core, program = 'autocannon' }: { core?: number | undefined; program?: LoadProgram | undefined } = {}
): Promise<LoadResult> {
  const file = options.refreshTokens ? 'load-autocannon.ts' : `load-${program}.ts`
  const path = new URL(file, import.meta.url).pathname
  const [command = '', ...words] = pinTo(core, [process.execPath, path])
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(options))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (output === '') throw new Error(`${file} failed`)
  return JSON.parse(output)
}
