// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** What is exported as JSON comes back as it was. */
import { t } from 'tap'
import { json, ndjson } from '../../../cli/formats/json.ts'
import { comeBack } from '../../support/generated/templates.ts'

for (const [name, format] of Object.entries({ json, ndjson }))
  t.test(`templates there and back as ${name}`, async t => {
    await t.resolves(comeBack(format))
  })
