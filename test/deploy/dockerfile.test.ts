// Runs on SQLite only, in test:all only.
import { readFileSync } from 'node:fs'
import { validate } from 'dockerfile-utils'
import { t } from 'tap'

const file = readFileSync(new URL('../../deploy/Dockerfile', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

t.test('a linter finds nothing in the Dockerfile', async t => {
  t.same(
    validate(file).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    []
  )
})

t.test('the image has the runtime that the project is developed with', async t => {
  t.match(file, `ARG NODE_VERSION=${manifest.devDependencies.node}\n`)
})

t.test('nothing in the last stage runs as root or at build time', async t => {
  const last = file.slice(file.lastIndexOf('\nFROM '))
  t.match(last, /\nUSER 65532:65532\n/)
  t.notMatch(last, /\nRUN /)
  t.match(last, /\nHEALTHCHECK [^\n]*\n[^\n]*"health"\]/)
})
