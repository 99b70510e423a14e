/**
 * Commands in the process of the test, one after the other: starting one of its own takes most of what a command does.
 * That a command ends its process is proven by a `run` of each.
 */
import { Readable } from 'node:stream'
import { format } from 'node:util'
import type { Test } from 'tap'
import { dispatch } from '../../cli/dispatch.ts'
import type { Ended } from '../support/service/process.ts'

/** Runs `product-templates …words` as {@link run} does. It sees what the command prints with `console`. */
export async function runInside(
  t: Test,
  words: string[],
  env: Record<string, string> = {},
  input = ''
): Promise<Ended> {
  const printed = { stdout: '', stderr: '' }
  const printTo =
    (stream: keyof typeof printed) =>
    (...values: unknown[]) => {
      printed[stream] += `${format(...values)}\n`
    }
  const log = t.capture(console, 'log', printTo('stdout'))
  const error = t.capture(console, 'error', printTo('stderr'))
  const { env: ownEnv, stdout, stderr } = process
  const ownInput = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const streams = [stdout, stderr].map(stream => ({ stream, listeners: stream.listeners('error') }))
  process.env = { PASSWORD_MEMORY: '7168', ...env }
  Object.defineProperty(process, 'stdin', { value: toStream(input), configurable: true })
  try {
    const code = await dispatch(words)
    return { code, signal: null, ...printed }
  } finally {
    process.env = ownEnv
    Object.defineProperty(process, 'stdin', ownInput)
    for (const { stream, listeners } of streams)
      for (const listener of stream.listeners('error'))
        if (!listeners.includes(listener)) stream.off('error', listener as () => void)
    log.restore()
    error.restore()
  }
}

const toStream = (input: string): Readable => Readable.from(input === '' ? [] : [Buffer.from(input)])
