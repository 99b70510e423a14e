/** The types of the client, of gql.tada and of graphql-codegen: what must compile, and what must not. */
import { readFileSync } from 'node:fs'
import { t } from 'tap'
import { generate } from './codegen.ts'
import { compile } from './compile.ts'

const root = new URL('../../', import.meta.url).pathname

t.test('wrong fields, arguments and variables are errors; the types need nothing of Node.js', async t => {
  await t.resolves(compile('test/client/types'))
})

t.test('the example with gql.tada compiles', async t => {
  await t.resolves(compile('examples/gql-tada'))
})

t.test(
  'the example with graphql-codegen compiles, and has the code that its configuration generates',
  async t => {
    const project = `${root}examples/graphql-codegen`
    const files = await generate(project, `${root}graphql/schema.graphql`)
    t.same(Object.keys(files), ['src/gql/graphql.ts', 'src/gql/gql.ts', 'src/gql/index.ts'])
    for (const [name, text] of Object.entries(files))
      t.equal(readFileSync(`${project}/${name}`, 'utf8'), text, name)
    await t.resolves(compile('examples/graphql-codegen'))
  }
)
