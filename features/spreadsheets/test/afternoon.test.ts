// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** An afternoon of somebody with 40 templates in a spreadsheet, in the words of the documents. */
import { exec } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import { directory, migratedUrl } from '../../../test/support/database/database.ts'
import { readLines } from '../../../test/support/documents.ts'
import { NODE_COMPILE_CACHE } from '../../../test/support/environment.ts'
import { command, serve, withoutRunner } from '../../../test/support/service/process.ts'
import { storedTemplates } from '../../../test/support/service/service.ts'
import { openDatabase } from '../../database.ts'

const header =
  'id;name;blockchainId;maxItems;publicProduct;componentName;document.name;document.productId;document.description;trait:MadeIn;trait:UnitsProduced;trait:FeaturesArray;trait:EmailOptional'

/** Forty rows that are all a little different; two of them are wrong. */
const rows = Array.from({ length: 40 }, (_, index) => {
  const cells = [
    index * 3 + 89,
    `Template ${index}`,
    index % 4,
    index === 7 ? 0 : index + 1,
    index % 2 === 0 ? 'TRUE' : 'false',
    'DefaultProduct',
    `"Template ""${index}"""`,
    ['', '"""17"""', '17', '""""""'][index % 4],
    index % 5 === 0 ? '"two\nlines; and more"' : '',
    ['Peru', '', '""""""', '=Kenya'][index % 4],
    ['12', '"""12"""', ''][index % 3],
    index % 6 === 0 ? '"[""red"",""blue""]"' : '',
    index === 21 ? 'perhaps' : ['true', 'FALSE', ''][index % 3]
  ]
  return cells.join(';')
})

t.test('40 templates from a spreadsheet', async t => {
  const folder = await directory(t)
  const url = await migratedUrl(t)
  const service = await serve(t, [], { DATABASE_URL: url, PASSWORD_MEMORY: '7168' })
  await mkdir(join(folder, 'bin'))
  const script = `#!/bin/sh\nshift\nexec env ${withoutRunner.join(' ')} '${command.join("' '")}' "$@"\n`
  await writeFile(join(folder, 'bin/npx'), script, { mode: 0o755 })
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, DATABASE_URL: url, NODE_COMPILE_CACHE }
  const paste = (line: string, more = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>(resolve => {
      const line_ = line.replace('http://127.0.0.1:3000', service.url)
      exec(line_, { cwd: folder, env: { ...env, ...more } }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr })
      )
    })
  const sheet = join(folder, 'templates.csv')
  const save = (list: string[]) => writeFile(sheet, `\uFEFF${header}\r\n${list.join('\r\n')}\r\n`)

  const [dryRun, importing] = readLines('run: import') as [string, string]
  await save(rows)
  const tried = await paste(dryRun)
  t.equal(tried.code, 1)
  t.match(tried.stderr, /column maxItems: maxItems must be an integer from 1/)
  t.match(tried.stderr, /trait:EmailOptional: .*must be true or false/)
  const mended = rows
    .with(7, rows[7]?.replace(';3;0;', ';3;8;') as string)
    .with(21, rows[21]?.replace('perhaps', 'true') as string)
  await save(mended)
  t.match(await paste(dryRun), { code: 0 })
  t.match(await paste(importing), { code: 0, stderr: /Imported templates: 40 new/ })

  const [replacing, history, diff, restore] = readLines('run: change') as [string, string, string, string]
  await save(mended.with(4, mended[4]?.replace('Template 4', 'Renamed') as string))
  t.match(await paste(replacing), { code: 0, stderr: /1 replaced.* 39 unchanged/ })
  t.match((await paste(history)).stdout, /\n2 +IMPORT .*\n1 +IMPORT /)
  t.match((await paste(diff)).stdout, /-.*Template 4.*\n\+.*Renamed/)
  t.match(await paste(restore), { code: 0, stderr: /as revision 3/ })

  const [metadata, exporting] = readLines('run: export') as [string, string]
  t.match(JSON.parse((await paste(metadata)).stdout), {
    name: 'Template "4"',
    attributes: [{ trait_type: 'MadeIn', value: 'Peru' }]
  })
  t.match(await paste(exporting), { code: 0 })

  const stored = async (from: string) => {
    const db = await openDatabase(from)
    const templates = await storedTemplates(db)
    await db.destroy()
    return templates
  }
  const other = await migratedUrl(t)
  t.match(await paste(importing.replace('templates.csv', 'backup.ndjson'), { DATABASE_URL: other }), {
    code: 0
  })
  const all = await stored(url)
  t.equal(all.length, 40)
  t.same(await stored(other), all)
  t.match(await readFile(join(folder, 'backup.ndjson'), 'utf8'), /"name":"Template 4"/)
})
