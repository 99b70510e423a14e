/** Templates and databases of the tests of import and export. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { importTemplates } from '../../db/templates/import/import.ts'
import { exportTemplates } from '../../db/templates/read/list.ts'
import { fullRights } from '../../db/templates/writing/rights.ts'
import { defaultValues, type ProductTemplate } from '../../domain/columns.ts'
import { openDatabase } from '../../features/database.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { runInside } from './inside.ts'

/** Documents that a file could change: what spreadsheets run, types that look like others, entries that are odd. */
const documents = [
  {
    productId: '',
    description: 'a "quoted"; b\r\nc\nd\re\tf',
    external_url: '=1+1',
    image: '-x',
    name: '@n',
    component: '+c',
    attributes: [
      { trait_type: 'T', value: '' },
      { trait_type: 'Text', value: '7' },
      { trait_type: 'Integer', value: 7 },
      { trait_type: 'Boolean', value: true },
      { trait_type: 'TextOfBoolean', value: 'TRUE' },
      { trait_type: 'List', value: ['a', 'b;"', '=c'] },
      { trait_type: 'EmptyList', value: [] },
      { trait_type: '=cmd', value: '\t=1' }
    ]
  },
  {
    productId: 12,
    name: "'=x",
    description: ' lead trail ',
    attributes: [
      { trait_type: 'T' },
      { trait_type: 'T', value: 'two' },
      { trait_type: 'T;"\n', value: '"quoted"' },
      { trait_type: 'Shown', value: 1.5, display_type: 'number' },
      7
    ]
  },
  { attributes: [], name: '[1]', description: '{"a":1}', own: { y: null }, none: null, half: 1.5 },
  { name: '\ud800 half', image: 'a\0b', description: '\uFEFFbom', ö: 'null', attributes: 'none' },
  {}
]

const texts = [
  ...documents.flatMap(document => [JSON.stringify(document), JSON.stringify(document, null, 2)]),
  ...['[]', '"x"', '-5', 'null', '\t{"a":1}\n', ' {"a" : 1,\r\n "a":2 } '],
  '{"big":12345678901234567890,"n":1.0,"attributes":[{"trait_type":"B","value":98765432109876543210}]}',
  '{"__proto__":{"x":1},"constructor":"c","attributes":[{"trait_type":"__proto__","value":"p"}]}'
]
const names = [
  '',
  '"x',
  '"x"',
  '_x0041_ _x005F_ a_x000d_',
  '=1',
  '-5',
  '7',
  'true',
  "'@",
  '\uFEFFx',
  'a\rb',
  'a;b\tc',
  '[]',
  ' s ',
  "''="
]

/** Templates with everything that a file format may lose. */
export const nastyTemplates: ProductTemplate[] = texts.map((data, index) => ({
  ...defaultValues,
  id: index * 2,
  blockchainId: index - 5,
  maxItems: 1 + index,
  name: names[index % names.length] as string,
  publicProduct: index % 2 === 0,
  componentName: ['DefaultProduct', '', 'TrackingRecord'][index % 3] as string,
  timeCreated: `2026-01-02T03:04:05.0000${String(index).padStart(2, '0')}Z`,
  timeModified: `2026-02-02T03:04:05.0000${String(index).padStart(2, '0')}Z`,
  data
}))

/** A migrated database, and files beside it. */
export async function emptyStore(t: Test) {
  const env = { DATABASE_URL: await migratedUrl(t) }
  const path = await directory(t)
  return {
    env,
    path: (name: string) => join(path, name),
    async write(name: string, text: string | Uint8Array) {
      await writeFile(join(path, name), text)
      return join(path, name)
    },
    async fill(templates: ProductTemplate[]) {
      const db = await openDatabase(env.DATABASE_URL)
      const records = templates.map(values => ({ values, place: undefined }))
      const validate = () => ({ problems: [], warnings: [] })
      t.match(await importTemplates(db, records, { author: fullRights, validate }), { written: true })
      await db.destroy()
    },
    /** Reads all templates by id. */
    async templates(): Promise<ProductTemplate[]> {
      const db = await openDatabase(env.DATABASE_URL)
      try {
        return await exportTemplates(db, {}, async ({ read }) => {
          const found: ProductTemplate[] = []
          for await (const templates of read()) found.push(...templates)
          return found
        })
      } finally {
        await db.destroy()
      }
    }
  }
}

export const toNdjson = (records: unknown[]): string =>
  records.map(record => `${JSON.stringify(record)}\n`).join('')

/** Exports templates whose `data` is not JSON in some formats, and imports them with checks and without. */
export async function checkUnchecked(t: Test, formats: string[]): Promise<void> {
  const templates = nastyTemplates.slice(0, 2).map(template => ({ ...template, data: 'hello {' }))
  const first = await emptyStore(t)
  await first.fill(templates)
  for (const format of formats) {
    const file = first.path(`all.${format}`)
    t.equal((await runInside(t, ['export', file], first.env)).code, 0)
    const second = await emptyStore(t)
    const refused = await runInside(t, ['import', file], second.env)
    t.equal(refused.code, 1)
    t.match(refused.stderr, 'data must be JSON text')
    t.equal((await runInside(t, ['import', '--validation', 'off', file], second.env)).code, 0)
    t.same(await second.templates(), templates, format)
  }
}
