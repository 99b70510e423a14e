import { setTimeout } from 'node:timers/promises'
import { query } from './http.ts'

/** The templates that `renameUntil` changes. */
export const renamed = Array.from({ length: 12 }, (_, id) => ({ id, componentName: id % 2 ? 'A' : 'B' }))
/** Milliseconds between two writes: hundreds of changes are enough, and each takes time to send and to compare. */
const writePause = 10
const text =
  'mutation($id: Int!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { userErrors { message } } }'
const done = '{"data":{"updateProduct":{"userErrors":[]}}}'

/**
 * Renames templates one after another, and moves some between the components A and B, until it is stopped. The process
 * of the service may be killed and replaced meanwhile.
 */
export async function renameUntil(
  isStopped: () => boolean,
  writer: number,
  address: () => string,
  token: string
): Promise<void> {
  for (let turn = 0; !isStopped(); turn++) {
    await setTimeout(writePause)
    const id = (7 * turn + writer) % renamed.length
    const componentName = Math.random() < 0.3 ? (Math.random() < 0.5 ? 'A' : 'B') : undefined
    const input = { name: `${writer}.${turn}`, ...(componentName && { componentName }) }
    // The process was killed or is not ready yet.
    const result = await query(address(), token, text, { variables: { id, input } }).catch(() =>
      setTimeout(20)
    )
    if (result && JSON.stringify(result.body) !== done) throw new Error(JSON.stringify(result.body))
  }
}
