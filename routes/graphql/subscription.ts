import type { Readable } from 'node:stream'
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { SubscriptionStart } from '../../graphql/operation/operation.ts'
import { type Body, toBuffers } from '../../graphql/result.ts'
import { badRequest } from '../../runtime/errors.ts'
import { openStream } from '../changes/stream.ts'
import { executeRequest } from './execute-request.ts'
import { type GraphqlExchange, readParameters, readParameterText } from './request.ts'

/**
 * Maximum characters of a request, which stays in memory as long as its stream. A filter has far fewer.
 */
const maxSubscriptionLength = 2 ** 16

/** Executes a subscription for each change. Returns the text of the results. Throws 400 if the request is too long. */
export function openSubscription(
  exchange: GraphqlExchange,
  start: SubscriptionStart,
  write = writeEvent
): Readable {
  const { request, reply, settings } = exchange
  if (readParameterText(request).length > maxSubscriptionLength)
    throw badRequest(`a subscription has at most ${maxSubscriptionLength} characters`)
  const streamText = openStream(reply, settings)
  return streamText({
    ...start,
    atOnce: 1,
    async *write(changes) {
      const [change] = changes as [Change]
      const pendingResponse = request.server.productResponseMemory.open()
      try {
        // The text is parsed for each change, because the text takes less memory than the parameters.
        const parameters = await readParameters(request)
        const { body } = await executeRequest(exchange, parameters, { event: { change, pendingResponse } })
        yield* write(body, change)
      } finally {
        pendingResponse.close()
      }
    }
  })
}

async function* writeEvent(body: Body, { position }: Change): AsyncGenerator<string | Uint8Array> {
  yield `id: ${toChangeCursor(position)}\nevent: next\ndata: `
  yield* toBuffers(body)
  yield '\n\n'
}
