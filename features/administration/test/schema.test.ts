// Runs on SQLite only.
/** What clients with a normalised cache rely on. */
import { readFileSync } from 'node:fs'
import { Kind, parse } from 'graphql'
import { t } from 'tap'

t.test('no type with an `id` occurs with different contents', async t => {
  const { definitions } = parse(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'))
  const types = definitions.flatMap(found => (found.kind === Kind.OBJECT_TYPE_DEFINITION ? found : []))
  const withId = types.filter(({ fields }) => fields?.some(({ name }) => name.value === 'id'))
  t.same(withId.map(({ name }) => name.value).sort(), ['AuditEvent', 'OAuthClient', 'User'])
})
