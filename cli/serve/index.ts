import type { Command } from '../terminal/command.ts'
import { beginStart, finishStart } from './memory.ts'

export const command: Command = {
  summary: 'Start the service',
  settings: 'all',
  options: {
    demo: { type: 'boolean', help: 'seed an empty database with demo data and print example requests' }
  },
  details: `HOST and PORT, or SOCKET_PATH, set where to listen; DATABASE_URL selects the database; WORKERS is the number
of processes.`,
  async run({ sources, values }) {
    beginStart()
    const { readSettings } = await import('../../options.ts')
    const { settings } = readSettings(sources)
    const { start } =
      settings.workers === 1 ? await import('./start.ts') : await import('./workers/start-workers.ts')
    await start(settings, values.demo === true)
    finishStart()
  }
}
