import type { Call, CommandOption } from './command.ts'
import { formatJson, toPlainText } from './plain-text.ts'

/** The option of a command that prints a result. */
export const jsonOption: Record<'json', CommandOption> = { json: { type: 'boolean', help: 'print JSON' } }

/** Prints the result of a command: for people a sentence on stderr, with --json the result itself on stdout. */
export function printResult(values: Call['values'], result: object, sentence: string): void {
  if (values.json === true) printJson(values, result)
  else console.error(toPlainText(sentence))
}

/** With --json, prints the result of a command on stdout. */
export function printJson({ json }: Call['values'], result: object): void {
  if (json === true) console.log(formatJson(result))
}
