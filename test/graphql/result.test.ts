import { buildSchema, GraphQLError, parse } from 'graphql'
import { getVariableValues } from 'graphql/execution/values.js'
import { t } from 'tap'
import { toRefusedResult } from '../../graphql/result.ts'

t.test('the suggestions of the check of variables are cut off', async t => {
  const schema = buildSchema('enum Colour { GREEN BLUE } type Query { paint(colour: Colour): Int }')
  const [operation] = parse('query ($colour: Colour) { paint(colour: $colour) }').definitions
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation')
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], { colour: 'GREN' })
  t.match(errors?.[0]?.message, /Did you mean the enum value "GREEN"\?/, 'graphql still makes them')
  t.match(toRefusedResult(errors ?? []).errors, [
    { message: /does not exist in "Colour" enum\.$/, extensions: { code: 'BAD_USER_INPUT' } }
  ])
})

t.test('a code of its own stays', async t => {
  t.match(toRefusedResult([new GraphQLError('no', { extensions: { code: 'FORBIDDEN' } })]).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
})
