// Runs on SQLite only: each example is a query or a mutation like those of other tests.
/** Runs every operation of `examples/` on the demo data. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { OperationTypeNode, parse } from 'graphql'
import { t } from 'tap'
import { productTemplates } from '../index.ts'
import { demo } from '../seeds/credentials.ts'
import { seedDemo } from '../seeds/seed.ts'
import { accessToken, basic, query } from './support/http/http.ts'
import { cheapHash, database, host, testLimits } from './support/service/service.ts'

const folder = new URL('../examples/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

/** Returns the paths of empty lists and objects. */
function empty(value: unknown, place: string): string[] {
  if (value === null || typeof value !== 'object') return []
  const entries = Object.entries(value)
  if (entries.length === 0) return [place]
  return entries.flatMap(([name, inner]) => empty(inner, `${place}.${name}`))
}

t.test('each example returns data', async t => {
  const db = await database(t)
  await seedDemo(db, cheapHash)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const form = { username: demo.email, password: demo.password }
  const token = await accessToken(url, form, { authorization: basic(demo.clientId, demo.clientSecret) })
  const files = readdirSync(folder).filter(name => name.endsWith('.graphql'))
  t.ok(files.length >= 7)
  for (const file of files) {
    const text = read(file)
    t.match(text, /^# /, `${file} says what it is for`)
    const variablesFile = file.replace('.graphql', '.json')
    const variables = existsSync(new URL(variablesFile, folder)) ? JSON.parse(read(variablesFile)) : {}
    for (const node of parse(text).definitions) {
      if (node.kind !== 'OperationDefinition') continue
      t.equal(node.operation, OperationTypeNode.QUERY)
      const { status, body } = await query(url, token, text, { variables, operationName: node.name?.value })
      t.equal(status, 200)
      t.same(body.errors, undefined, `${file} ${node.name?.value}`)
      const nothing = empty(body.data, 'data').filter(place => !/value$/.test(place))
      t.same(nothing, [])
    }
  }
})
