import { readSettings } from '../../options/index.ts'
import type { Command } from '../../terminal/command.ts'

export const command: Command = {
  summary: 'Start the service',
  settings: 'all',
  options: { '--demo': 'seed an empty database with demo data and print example requests' },
  details: `HOST and PORT, or SOCKET_PATH, set where to listen; DATABASE_URL selects the database; WORKERS is the number
of processes.`,
  async run({ sources, options }) {
    const { settings } = readSettings(sources)
    const demo = options.demo === true
    if (settings.workers === 1) await (await import('./start.ts')).start(settings, demo)
    else await (await import('./supervisor.ts')).supervise(settings, sources.flags, demo)
  }
}
