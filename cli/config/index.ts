import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'
import { formatJson } from '../terminal/plain-text.ts'

export const command: Command = {
  summary: 'Show every setting in force and where it comes from',
  settings: 'all',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  details: 'Takes the flags of `serve`. Secrets, and passwords in URLs, are masked.',
  async run({ sources, values }) {
    const { readSettings, settingEntries } = await import('../../options.ts')
    const { maskValue } = await import('../../options/setting.ts')
    const { settings, origins } = readSettings(sources)
    const current: Record<string, unknown> = { ...settings }
    const rows = settingEntries().map(([option, entry]) => ({
      setting: entry.env,
      value: maskValue(entry, current[option]) ?? null,
      ...origins[option]
    }))
    if (values.json === true) return console.log(formatJson(rows))
    printList(
      rows.map(({ setting, value, source, from }) => ({
        setting,
        value: value === null ? '' : String(value),
        source: [source, from].filter(Boolean).join(' ')
      })),
      false
    )
  }
}
