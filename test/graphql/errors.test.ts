// Runs on SQLite only.
import { GraphQLError } from 'graphql'
import { t } from 'tap'
import { toRefusedResult } from '../../graphql/errors.ts'

t.test('an error with its own code keeps it', async t => {
  t.match(toRefusedResult(new GraphQLError('no', { extensions: { code: 'FORBIDDEN' } })).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
})
