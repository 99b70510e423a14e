// Runs on SQLite only, in test:all only.
/** The schema as a file and as a command. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildClientSchema, buildSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { t } from 'tap'
import { run } from '../support/service/process.ts'

const file = readFileSync(new URL('../../graphql/schema.graphql', import.meta.url), 'utf8')

t.test('the command prints the schema and its introspection, and opens no database', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-'))
  const env = { DATABASE_URL: `sqlite:${folder}/templates.db` }
  const [text, json] = await Promise.all([run(t, ['schema'], env), run(t, ['schema', '--json'], env)])
  t.same([text.code, text.stderr, json.code, json.stderr], [0, '', 0, ''])
  t.equal(text.stdout, file)
  const sorted = (schema: ReturnType<typeof buildSchema>) => printSchema(lexicographicSortSchema(schema))
  t.equal(sorted(buildClientSchema(JSON.parse(json.stdout))), sorted(buildSchema(file)))
  t.notOk(existsSync(join(folder, 'templates.db')))
})
