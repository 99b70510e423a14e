import type { AddressInfo } from 'node:net'
import { shareCores } from '../../../credentials/hash-queue.ts'
import { openDatabase } from '../../../db/connect.ts'
import { StartError } from '../../../errors.ts'
import { Metrics } from '../../../metrics/metrics.ts'
import type { ProcessSettings } from '../../../options.ts'
import type { AddressCount, Siblings } from '../../../plugins/siblings.ts'
import { CommandError } from '../../terminal/command.ts'
import { type RunningServer, runServer } from '../run-server.ts'
import type { Failed, Question, Start, ToPrimary, ToWorker } from './messages.ts'

/** Serves until the primary process says `close`, or a signal comes. Without the primary, Node ends the process. */
export async function runWorker(): Promise<void> {
  const started = Promise.withResolvers<Start>()
  const counted = new Map<number, (count: AddressCount) => void>()
  const figures = new Metrics()
  let server: RunningServer | undefined
  process.on('message', (message: ToWorker) => {
    if (message.type === 'start') started.resolve(message)
    else if (message.type === 'close') server?.close()
    else if (message.type === 'reload') server?.reload()
    else if (message.type === 'question') answer(message, server)
    else {
      counted.get(message.id)?.(message)
      counted.delete(message.id)
    }
  })
  let lastId = 0
  const countRequest: Siblings['countRequest'] = (address, milliseconds) =>
    new Promise(resolve => {
      const id = ++lastId
      counted.set(id, resolve)
      tell({ type: 'count', id, address, milliseconds })
    })
  const { settings, upkeep } = await started.promise
  try {
    server = await serve({ settings, siblings: { upkeep, countRequest }, figures })
  } catch (error) {
    tell(explain(error as Error), () => process.exit(1))
  }
}

async function serve({ settings, siblings, figures }: Serving): Promise<RunningServer> {
  shareCores(settings.workers)
  // The primary process has created and migrated it.
  const db = await openDatabase(settings.database, { ...settings, mustExist: true })
  const addresses: string[] = []
  const formatAddress = (address: string) => {
    addresses.push(address)
    return 'worker listening'
  }
  try {
    const server = await runServer(settings, db, { siblings, formatAddress, figures })
    const { listeningOrigin, server: socket } = server.app
    const port = (socket.address() as AddressInfo).port
    tell({ type: 'listening', addresses, origin: listeningOrigin as string, port })
    return server
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function answer({ id }: Question, server: RunningServer | undefined): Promise<void> {
  tell({ type: 'answer', id, value: await server?.app.productReadiness?.read() })
}

interface Serving {
  settings: ProcessSettings
  siblings: Siblings
  figures: Metrics
}

function explain(error: Error): Failed {
  if (error instanceof StartError) return { type: 'failed', code: error.code, message: error.message }
  const message = error instanceof CommandError ? error.message : (error.stack ?? error.message)
  return { type: 'failed', message }
}

/** Sends a message to the primary process. If that is gone, Node ends this process. */
function tell(message: ToPrimary, sent = () => {}): void {
  process.send?.(message, undefined, undefined, sent)
}
