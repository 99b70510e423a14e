import { jwksMaxAge } from '../../credentials/signing-key.ts'
import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { requireDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'Publish the next signing key, or activate it',
  options: {
    now: { type: 'boolean', help: 'activate without waiting for clients to fetch the key' },
    ...jsonOption
  },
  details: `
The first call publishes a new key; a call at least ${jwksMaxAge} seconds later activates it for signing. The
previous key stays published until its tokens have expired.`,
  async run({ sources, values }) {
    const { rotateKeys } = await import('../../credentials/key-rotation.ts')
    await withStore(sources, async (db, settings) => {
      requireDatabaseKeys(settings)
      const { step, kid, secondsToWait } = await rotateKeys(db, settings, { now: values.now === true })
      const texts = {
        published: `Published key ${kid}. Run this again in ${secondsToWait} s to activate it.`,
        waiting: `Key ${kid} can be activated in ${secondsToWait} s; nothing was changed.`,
        activated: `Activated key ${kid}.`
      }
      printResult(values, { step, kid, secondsToWait }, texts[step])
    })
  }
}
