// Runs on SQLite only, in test:all only.
// Runs on SQLite only, in test:all only.
/** The recipes of packages/client/README.md, against the demo data. types.test.ts compiles them. */
import { existsSync } from 'node:fs'
import { format } from 'node:util'
import { type Test, t } from 'tap'
import { productTemplates } from '../../index.ts'
import { seedDemo } from '../../seeds/seed.ts'
import { readRecipes, writeRecipes } from '../client/recipes.ts'
import { cheapHash, database, host } from '../support/service/service.ts'

async function start(t: Test) {
  const db = await database(t)
  await seedDemo(db, cheapHash)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash })
  return app.listen({ port: 0, host: '127.0.0.1' })
}

t.test('each recipe prints the expected output', async t => {
  const recipes = readRecipes(await start(t))
  t.equal(recipes.size, 11)
  const folder = writeRecipes(t, recipes)
  // This one is for a page: browser.test.ts.
  recipes.delete('login')
  process.chdir(t.testdir())
  for (const [name, { output }] of recipes) {
    const lines: string[] = []
    const log = console.log
    console.log = (...words) => void lines.push(format(...words))
    try {
      await import(`${folder}/${name}.ts`)
    } finally {
      console.log = log
    }
    t.same(lines, output, name)
  }
  t.notOk(existsSync('tokens.json'))
})
