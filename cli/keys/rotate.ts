import { jwksMaxAge, rotateKeys } from '../../credentials/key-rotation.ts'
import type { Command } from '../terminal/command.ts'
import { withDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'Publish the next signing key, or let it sign',
  options: { now: { type: 'boolean', help: 'let it sign without waiting until everybody can know it' } },
  details: `
The first call publishes a new key; a call at least ${jwksMaxAge} seconds later lets it sign. The key before
it goes on verifying until its tokens have expired.`,
  async run({ env, values }) {
    await withDatabaseKeys(env, async (db, settings) => {
      const { step, kid, secondsToWait } = await rotateKeys(db, settings, { now: values.now === true })
      const texts = {
        published: `Published the key ${kid}. It may sign in ${secondsToWait} s: call this again then.`,
        waiting: `The key ${kid} may sign in ${secondsToWait} s: nothing was changed.`,
        activated: `The key ${kid} signs from now on.`
      }
      console.error(texts[step])
    })
  }
}
