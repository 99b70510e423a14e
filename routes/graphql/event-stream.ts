/** Responses as events, in the protocol of graphql-sse, "Distinct connections mode". */
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { badRequest } from '../../errors.ts'
import type { Subscription } from '../../graphql/context.ts'
import { openStream } from '../changes/stream.ts'
import { readParameters, textOf } from './parameters.ts'
import { type Exchange, runRequest } from './run.ts'

/** Makes the events of an operation that has one result. */
export const toOnlyEvent = (body: Buffer[]): Buffer[] => [
  Buffer.from('event: next\ndata: '),
  ...body,
  Buffer.from('\n\nevent: complete\ndata:\n\n')
]

/** Characters of a request, which stays in memory as long as its stream. A filter needs far fewer. */
const maxLength = 2 ** 16

/**
 * Sends the result of a subscription for each change: the subscription is executed for each one as an operation of its own.
 * Throws 400 if the request is too long.
 */
export function sendSubscription(exchange: Exchange, begun: NonNullable<Subscription['begun']>): void {
  const { request, reply, settings } = exchange
  if (textOf(request).length > maxLength)
    throw badRequest(`a subscription has at most ${maxLength} characters`)
  const send = openStream(request, reply, settings)
  async function* write(changes: Change[]) {
    const [change] = changes as [Change]
    const pending = request.server.productPendingResponses.open()
    try {
      // Parsed again, because the text takes less memory meanwhile.
      const { body } = await runRequest(exchange, await readParameters(request), {
        event: { change, pending }
      })
      yield `id: ${toChangeCursor(change.position)}\nevent: next\ndata: `
      yield* body
      yield '\n\n'
    } finally {
      pending.close()
    }
  }
  send({ ...begun, atOnce: 1, write })
}
