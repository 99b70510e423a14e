// Runs on SQLite only, in test:all only.
/** The examples with other clients compile, and have what their generators make of the schema. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildSchema, parse, print, validate } from 'graphql'
import { t } from 'tap'
import { compile } from '../client/compile.ts'
import { generateExample } from './codegen.ts'
import { tagged } from './relay.ts'

const root = new URL('../../', import.meta.url).pathname
const schemaText = readFileSync(`${root}graphql/schema.graphql`, 'utf8')

for (const example of [
  'gql-tada',
  'apollo',
  'urql',
  'graphql-codegen',
  'tanstack-query',
  'relay',
  'federation'
])
  t.test(`the example ${example} compiles`, async t => {
    await t.resolves(compile(`examples/${example}`))
  })

t.test(
  'the example with Relay has what relay-compiler makes of its documents and of this schema',
  async t => {
    const schema = buildSchema(schemaText)
    const documents = [...readFileSync(`${root}examples/relay/gallery.ts`, 'utf8').matchAll(tagged)]
    t.equal(documents.length, 5)
    for (const [, text = '', name] of documents) {
      const { default: artifact } = await import(`../../examples/relay/generated/${name}.graphql.ts`)
      t.equal(artifact.hash, hashDocument(text), `${name} is new: run npx relay-compiler`)
      t.same(validate(schema, parse(artifact.params.text)), [], `${name}: run npx relay-compiler`)
    }
  }
)

/** The hash that relay-compiler writes into an artifact: of the document with the arguments of each field in a line. */
function hashDocument(text: string): string {
  const lines = print(parse(text)).replace(
    /\(\n([^)]*)\n *\)/g,
    (_, inner: string) => `(${inner.trim().split(/\n */).join(', ')})`
  )
  return createHash('md5').update(lines).digest('hex')
}

t.test('the example with graphql-codegen has what it generates: node test/clients/codegen.ts', async t => {
  for (const [name, text] of Object.entries(await generateExample(schemaText)))
    t.equal(readFileSync(`${root}${name}`, 'utf8'), text, name)
})
