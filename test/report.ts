/** Reports a run in a CI log: a line for each file, and all failures again at the end. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Prints a line for each file of a TAP stream. Resolves with the lines about failures. */
export async function reportFiles(tap: Readable): Promise<string[]> {
  const failed: string[] = []
  const said: string[] = []
  for await (const line of createInterface({ input: tap })) {
    const isNext = /^(# |1\.\.|TAP |ok )/.test(line)
    if (isNext && said.some(each => each.startsWith('not ok'))) failed.push(...said.splice(0))
    const passed = /^(?<indent> *)ok \d+(?: - (?<name>.*?))?(?: # .*)?$/.exec(line)?.groups
    if (passed) {
      const begin = said.lastIndexOf(`${passed.indent}# Subtest: ${passed.name}`)
      if (begin >= 0) said.length = begin
    } else if (line.trim() !== '') {
      said.push(line)
    }
    if (/^(not ok|ok|#(?! Subtest)) /.test(line)) console.log(line)
  }
  return failed
}
