import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'
import { withDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'List the signing keys',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ sources, values }) {
    const { listSigningKeys } = await import('../../db/accounts/signing-keys.ts')
    const keys = await withDatabaseKeys(sources, listSigningKeys)
    const rows = keys.map(({ id: kid, algorithm, status, timeCreated, timeActivated, timeRetired }) => ({
      kid,
      algorithm,
      status,
      timeCreated,
      timeActivated: timeActivated ?? '',
      timeRetired: timeRetired ?? ''
    }))
    printList(rows, values.json === true)
  }
}
