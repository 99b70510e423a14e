import type { Command } from '../terminal/command.ts'
import { beginStart, finishStart } from './memory.ts'

export const command: Command = {
  summary: 'Start the service',
  options: {
    demo: { type: 'boolean', help: 'seed an empty database with demo data and print example requests' }
  },
  details: 'HOST and PORT, or SOCKET_PATH, set where to listen; DATABASE_URL selects the database.',
  async run(call) {
    beginStart()
    const { startService } = await import('./start.ts')
    await startService(call)
    finishStart()
  }
}
