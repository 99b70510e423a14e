/** Responses as the protocol of graphql-sse has them, "Distinct connections mode". */
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/revisions/changes.ts'
import type { GraphqlRequest, Subscription } from '../../graphql/execute.ts'
import { openStream } from '../changes/stream.ts'
import { type Exchange, runRequest } from './run.ts'

/** Returns the bytes of a result that is the only one. */
export const toOnlyEvent = (body: Buffer[]): Buffer[] => [
  Buffer.from('event: next\ndata: '),
  ...body,
  Buffer.from('\n\nevent: complete\ndata:\n\n')
]

/** Sends the result of a subscription for each change. It is executed for each as an operation of its own. */
export function sendSubscription(
  exchange: Exchange,
  parameters: GraphqlRequest,
  begun: NonNullable<Subscription['begun']>
): void {
  const { request, reply, settings } = exchange
  const send = openStream(request, reply, settings)
  async function* write(changes: Change[]) {
    const [change] = changes as [Change]
    const pending = request.server.productPendingResponses.open()
    try {
      const { body } = await runRequest(exchange, parameters, { event: { change, pending } })
      yield `id: ${toChangeCursor(change.position)}\nevent: next\ndata: `
      yield* body
      yield '\n\n'
    } finally {
      pending.close()
    }
  }
  // What has arrived is parsed.
  request.body = undefined
  send({ ...begun, atOnce: 1, write })
}
