/** Responses as the protocol of graphql-sse has them, "Distinct connections mode". */
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { badRequest } from '../../errors.ts'
import type { Subscription } from '../../graphql/execute.ts'
import { openStream } from '../changes/stream.ts'
import { type Exchange, runRequest } from './run.ts'

/** Returns the bytes of a result that is the only one. */
export const toOnlyEvent = (body: Buffer[]): Buffer[] => [
  Buffer.from('event: next\ndata: '),
  ...body,
  Buffer.from('\n\nevent: complete\ndata:\n\n')
]

/** Characters of a request that is kept in memory as long as its stream: far more than a filter needs. */
const maxLength = 2 ** 16

/**
 * Sends the result of a subscription for each change. It is executed for each as an operation of its own. Throws 400 if the
 * request is too long.
 */
export function sendSubscription(exchange: Exchange, begun: NonNullable<Subscription['begun']>): void {
  const { request, reply, rules, settings } = exchange
  if (rules.readText(request).length > maxLength)
    throw badRequest(`a subscription has at most ${maxLength} characters`)
  const send = openStream(request, reply, settings)
  async function* write(changes: Change[]) {
    const [change] = changes as [Change]
    const pending = request.server.productPendingResponses.open()
    try {
      // Parsed again, because the text takes less memory meanwhile.
      const { body } = await runRequest(exchange, await rules.parse(request), { event: { change, pending } })
      yield `id: ${toChangeCursor(change.position)}\nevent: next\ndata: `
      yield* body
      yield '\n\n'
    } finally {
      pending.close()
    }
  }
  send({ ...begun, atOnce: 1, write })
}
