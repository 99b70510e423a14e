import { listSettings, readSettings } from '../options/index.ts'
import { maskValue, SettingsError } from '../options/setting.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printJson, printList, printResult } from '../terminal/result.ts'

const check: Command = {
  summary: 'Check the settings without starting anything',
  settings: 'all',
  options: { '--json': 'print the problems as JSON' },
  details: 'Takes the flags of `serve`. Prints every problem and ends with exit code 2 if there is one.',
  async run({ sources, options }) {
    try {
      readSettings(sources)
    } catch (error) {
      if (error instanceof SettingsError && options.json) printJson({ problems: error.problems })
      throw error
    }
    printResult(options, { problems: [] }, 'The settings are valid.')
  }
}

export const command: Command = {
  summary: 'Show every setting in force and where it comes from',
  settings: 'all',
  options: jsonOption,
  details: 'Takes the flags of `serve`. Secrets, and passwords in URLs, are masked.',
  async run({ sources, options }) {
    const { settings, origins } = readSettings(sources)
    const current: Record<string, unknown> = { ...settings }
    const rows = listSettings().map(([option, entry]) => ({
      setting: entry.env,
      value: maskValue(entry, current[option]) ?? null,
      ...origins[option]
    }))
    printList(options, rows)
  },
  subcommands: { check }
}
