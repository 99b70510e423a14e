// Runs on SQLite only, in test:all only: each tool is an operation of GraphQL.
/** Messages at the limits of bytes, of values and of levels, at every place where a client may put them. */
import { t } from 'tap'
import { seed } from '../../../test/support/generated/seed.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { connect, listTools, post } from '../../../test/support/http/mcp.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'
import { argumentLimits, envelopeLimits, maxEnvelopeLength } from '../message.ts'
import {
  type JsonSchema,
  pathsOfArguments,
  protocolTargets,
  type Target,
  valuesOf,
  write
} from './messages.ts'

/** Each commit sends all messages that the SDK gets and a part of the others; `SECONDS=60` sends all. */
const parts = Number(process.env.SECONDS ?? 0) >= 60 ? 1 : 32
const part = seed % parts
/** Bytes of a message, besides the value in it. */
const around = 1000
/** Bytes of the largest answer: it repeats the id of a message. */
const maxAnswer = maxEnvelopeLength + around

/** As much as a request may have. */
const largest = valuesOf({ bytes: 2 ** 20 - around, values: 2 ** 16, levels: 100_000 })
/** As much as the SDK gets. */
const accepted = valuesOf({
  bytes: maxEnvelopeLength - around,
  values: envelopeLimits.values - 20,
  levels: envelopeLimits.levels - 5
})
/** As much as a tool gets. */
const arguable = valuesOf({
  bytes: 2 ** 20 - around,
  values: argumentLimits.values - 20,
  levels: argumentLimits.levels - 5
})

t.setTimeout(1_800_000)

t.test('each message at the limits gets a small answer, with the scope and without', async t => {
  const { url, db } = await service(t, { mcp: true })
  await addTemplates(db, { id: 1 })
  const take = (scope: string) => accessToken(url, { scope, resource: `${url}/mcp` })
  const tokens = await Promise.all(['read write', 'read', 'write'].map(take))
  const { tools } = await (await connect(t, url, tokens[0] as string)).listTools()
  const send = async (token: string | undefined, target: Target, value: string, about: string) => {
    const response = await post(url, token, write(target, value))
    const { length } = await response.bytes()
    const isFine = [200, 202, 400, 403].includes(response.status) && length <= maxAnswer
    if (!isFine) t.fail(`${JSON.stringify(target)}, ${about}: ${response.status}, ${length} bytes`)
  }
  let count = 0
  const sendSome = async (target: Target, values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values))
      for (const token of tokens) if (count++ % parts === part) await send(token, target, value, name)
  }
  for (const target of protocolTargets()) {
    for (const [name, value] of Object.entries(accepted))
      await send(tokens[count++ % tokens.length], target, value, name)
    await sendSome(target, largest)
  }
  for (const { name, inputSchema } of tools)
    for (const path of [['unknown'], ...pathsOfArguments(inputSchema as JsonSchema, 3)]) {
      const given = { id: 1, expectedRevision: 1, revision: 1 }
      const message = { ...listTools, method: 'tools/call', params: { name, arguments: given } }
      const target = { message, path: ['params', 'arguments', ...path] }
      await sendSome(target, largest)
      await sendSome(target, arguable)
    }
  t.comment(`${count} messages in all`)
  t.equal((await post(url, tokens[0], listTools)).status, 200)
})
