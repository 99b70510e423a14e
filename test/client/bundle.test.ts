// Runs on SQLite only, in test:all only.
/** What the client costs a page, and what it may not need. */
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { parse, stripIgnoredCharacters, visit } from 'graphql'
import { t } from 'tap'
import { printDocument } from '../../packages/client/print.ts'

const maxSize = 6000

const text = `query Sink($id: Int! = 1, $list: [String!]! = ["a"] @deprecated, $where: ProductTemplateFilter) @live(every: 1.5e3) {
  first: product(id: $id) @include(if: true) { ...Card @skip(if: false) ... on ProductTemplate @x { id } ... { name } }
  products(where: { and: [{ name: { contains: "a \\"quoted\\" \\u00e4 \\n line" } }, $where], not: null }, orderBy: { field: ID }) {
    nodes { name }
  }
  traits(types: $list, first: -3) { type }
}
fragment Card on ProductTemplate { id text: data(message: """block "quotes"
  and lines""") }
mutation { a }
subscription S { b }
{ c(empty: [], object: {}) }`

t.test('a bundle needs no other package, nothing of Node.js, and little space', async t => {
  const entry = new URL('../../packages/client/index.ts', import.meta.url).pathname
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true
  })
  const size = brotliCompressSync(outputFiles[0]?.contents ?? '').length
  t.ok(size > 1000 && size <= maxSize, `${size} bytes`)
  for (const path of Object.keys(metafile.inputs)) t.match(path, /client\/[a-z-]+\.ts$/)
})

t.test('a parsed document is written with the same meaning', async t => {
  const bare = (text: string) =>
    visit(parse(text, { noLocation: true }), {
      StringValue: ({ block: _block, ...node }) => node
    })
  t.same(bare(printDocument(parse(text))), bare(text))
  t.ok(printDocument(parse(text)).length < 1.2 * stripIgnoredCharacters(text).length)
})
