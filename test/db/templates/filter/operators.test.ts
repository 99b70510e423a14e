// Runs on SQLite only.
/** What the schema lets clients ask for, and what the operands know. */
import { readFileSync } from 'node:fs'
import { buildSchema, isInputObjectType } from 'graphql'
import { t } from 'tap'
import { fields } from '../../../../db/templates/filter/filter.ts'
import { locate } from '../../../../runtime/package/package-files.ts'

const schema = buildSchema(readFileSync(locate('graphql/schema.graphql'), 'utf8'))

t.test('each field knows each operator of its input type', async t => {
  for (const [field, operand] of Object.entries(fields)) {
    const type = schema.getType(operand.input)
    if (!isInputObjectType(type)) continue
    for (const operator of Object.keys(type.getFields())) {
      let problem = ''
      try {
        const others = 'type' in type.getFields() ? { type: 'Colour' } : {}
        operand.check({ ...others, [operator]: Symbol('wrong') }, field)
      } catch (error) {
        problem = (error as Error).message
      }
      t.notMatch(problem, `operator ${operator}`, `${field}.${operator}`)
    }
  }
})
