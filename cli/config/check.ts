import type { Command } from '../terminal/command.ts'
import { formatJson } from '../terminal/plain-text.ts'

export const command: Command = {
  summary: 'Check the settings without starting anything',
  settings: 'all',
  options: { json: { type: 'boolean', help: 'print the problems as JSON' } },
  details: 'Takes the flags of `serve`. Prints every problem and ends with exit code 2 if there is one.',
  async run({ sources, values }) {
    const { readSettings } = await import('../../options.ts')
    const { SettingsError } = await import('../../options/check.ts')
    const report = (problems: string[]) => console.log(formatJson({ problems }))
    try {
      readSettings(sources)
    } catch (error) {
      if (error instanceof SettingsError && values.json === true) report(error.problems)
      throw error
    }
    if (values.json === true) report([])
    else console.error('The settings are valid.')
  }
}
