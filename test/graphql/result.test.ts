import { buildSchema, GraphQLError, parse } from 'graphql'
import { getVariableValues } from 'graphql/execution/values.js'
import { t } from 'tap'
import { toRefusedResult } from '../../graphql/execution/result.ts'

t.test('suggestions in errors about variables are removed', async t => {
  const schema = buildSchema('enum Colour { GREEN BLUE } type Query { paint(colour: Colour): Int }')
  const [operation] = parse('query ($colour: Colour) { paint(colour: $colour) }').definitions
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation')
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], { colour: 'GREN' })
  t.match(errors?.[0]?.message, /Did you mean the enum value "GREEN"\?/, 'graphql still makes them')
  t.match(toRefusedResult(errors ?? []).errors, [
    { message: /does not exist in "Colour" enum\.$/, extensions: { code: 'BAD_USER_INPUT' } }
  ])
})

t.test('an error with its own code keeps it', async t => {
  t.match(toRefusedResult([new GraphQLError('no', { extensions: { code: 'FORBIDDEN' } })]).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
})
