import type { Command } from '../terminal/command.ts'
import { beginStart, finishStart } from './memory.ts'

export const command: Command = {
  summary: 'Start the service',
  options: {
    demo: { type: 'boolean', help: 'fill an empty database with demo data, and print how to use it' }
  },
  details: 'HOST, PORT or SOCKET_PATH say where to listen, DATABASE_URL where the data lives.',
  async run(call) {
    beginStart()
    const { startService } = await import('./start.ts')
    await startService(call)
    finishStart()
  }
}
