import type { Db } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { defaultValues, type ProductTemplate } from '../../../domain/columns.ts'
import { formatTimestamp } from '../../../domain/timestamp.ts'
import { insertProductTemplates } from '../../support/database/insert.ts'

const names = [
  'Amber Óak',
  'amber oak',
  'Birch_100%',
  'Zoë’s Kelp',
  'ÄRGER',
  'straße',
  'x',
  '日本の木',
  'ﬁne “Linen”'
]
const types = ['MadeIn', 'UnitsProduced', 'FeaturesArray', 'EmailOptional', 'Note']
const values: unknown[] = [
  'Portugal',
  'Port',
  '',
  '7',
  7,
  -1,
  true,
  false,
  [],
  ['red', 'blue'],
  ['blue', 'red'],
  ['Portugal'],
  null,
  1.5,
  { a: 1 },
  undefined,
  `${'long '.repeat(60)}end`,
  'null \u0000 and \ud800 half',
  '50% _off_ "now" \\'
]

/** Templates with every kind of value, more than a page is looked for in: the same ones every time. */
export function awkwardTemplates(count: number): ProductTemplate[] {
  return Array.from({ length: count }, (_, index) => {
    const entry = (offset: number) => ({
      trait_type: types[(index + offset) % types.length],
      value: values[(index * 7 + offset * 3) % values.length]
    })
    const document = {
      productId: [index, `${index - 1}`, `LAMP-${index}`, '', null, undefined, '9'.repeat(60)][index % 7],
      description: `${index % 97 === 0 ? 'rare ' : 'common '}text ${index}\nof the ${index % 2 ? 'odd' : 'even'} Café`,
      attributes: [entry(0), entry(1), ...(index % 3 ? [entry(2)] : []), { value: 'no type' }, 'no entry']
    }
    return {
      ...defaultValues,
      id: index * 3,
      blockchainId: (index % 5) - 2,
      maxItems: 1 + (index % 50),
      name: `${names[index % names.length]} ${index % 11}`,
      publicProduct: index % 3 !== 0,
      componentName: index % 40 === 0 ? 'TrackingRecord' : 'DefaultProduct',
      // Many at the same instant, and in another order than the ids.
      timeCreated: formatTimestamp(1_767_000_000_000_000 + ((index * 7919) % 300) * 1_000_000),
      timeModified: formatTimestamp(1_767_000_000_000_001 + ((index * 104_729) % 400) * 1_000_001),
      data: index % 151 === 150 ? '[0]' : JSON.stringify(document)
    }
  })
}

export async function addAwkwardTemplates(db: Db, count: number): Promise<ProductTemplate[]> {
  const templates = awkwardTemplates(count)
  await transact(db, async transaction => {
    for (let start = 0; start < count; start += 500)
      await insertProductTemplates(transaction, templates.slice(start, start + 500))
  })
  return templates
}
