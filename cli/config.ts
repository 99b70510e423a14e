import type { Command } from './terminal/command.ts'
import { formatJson } from './terminal/plain-text.ts'
import { jsonOption, printList } from './terminal/result.ts'

const show: Command = {
  summary: 'Show every setting in force and where it comes from',
  settings: 'all',
  options: jsonOption,
  details: 'Takes the flags of `serve`. Secrets, and passwords in URLs, are masked.',
  async run({ sources, values }) {
    const { readSettings, settingEntries } = await import('../options.ts')
    const { maskValue } = await import('../options/setting.ts')
    const { settings, origins } = readSettings(sources)
    const current: Record<string, unknown> = { ...settings }
    const rows = settingEntries().map(([option, entry]) => ({
      setting: entry.env,
      value: maskValue(entry, current[option]) ?? null,
      ...origins[option]
    }))
    const lines = rows.map(({ setting, value, source, from }) => ({
      setting,
      value: String(value ?? ''),
      source: [source, from].filter(Boolean).join(' ')
    }))
    printList(values, lines, rows)
  }
}

const check: Command = {
  summary: 'Check the settings without starting anything',
  settings: 'all',
  options: { json: { type: 'boolean', help: 'print the problems as JSON' } },
  details: 'Takes the flags of `serve`. Prints every problem and ends with exit code 2 if there is one.',
  async run({ sources, values }) {
    const { readSettings } = await import('../options.ts')
    const { SettingsError } = await import('../options/check.ts')
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

export const commands: Record<string, Command> = { config: show, 'config check': check }
