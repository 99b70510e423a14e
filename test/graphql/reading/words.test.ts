/** `search` in texts without spaces between words, and in compounds such as OUT-1003. */
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { beginRebuild, maintainIndex } from '../../../db/templates/template-index/rebuild.ts'
import { indexVersion } from '../../../db/templates/template-index/state.ts'
import { users } from '../../../store.ts'
import { matches } from '../../reference/filter.ts'
import { accessToken, query } from '../../support/http/http.ts'
import { addTemplates, service, storedTemplates, user } from '../../support/service/service.ts'

/** A text, searches that find it, and searches that do not. */
const texts: [text: string, found: string[], missed: string[]][] = [
  ['東京都庁の近くの木製椅子', ['椅子', '木製', '東京都', '木製椅子', '椅子 東京', '都庁'], ['京都', '子']],
  ['ｶﾞﾗｽのコップとチェリーウッド', ['コップ', 'ガラス', 'カ\u3099ラス', 'ウッド'], ['ップ']],
  ['iPhone用ケース100個', ['ケース', 'iphone', '100', '100個', '用'], ['phone']],
  ['苹果手机保护壳，竹制牙刷', ['保护', '手机', '牙刷', '苹果牙刷'], ['果手']],
  ['대나무칫솔과 LED조명', ['칫솔', '대나무', '나무칫솔', '조명', 'led조명', '명'], ['ᅮ칫']],
  ['ไม้ไผ่และLEDแปรงสีฟันจากประเทศไทย', ['แปรงสีฟัน', 'led', 'ประเทศไทย', 'ไม้ไผ่'], ['ฟัน']],
  ['จานกันน้ำและขวดทำมือ', ['จาน', 'น้ำ', 'ขวด', 'ทำมือ'], []],
  ['ແປງຖູແຂ້ວ', ['ແຂ້ວ', 'ຖູ'], []],
  ['ឈើនិងតុ', ['តុ', 'ឈើ'], []],
  ['သစ်သားထိုင်ခုံ', ['ထိုင်ခုံ'], []],
  ['OUT-1003, kelp_77 in 24-06', ['out1003', 'OUT-1003', 'out', '1003', 'kelp7'], ['ut1003', '2406']]
]

const documentOf = (text: string) => JSON.stringify({ attributes: [{ trait_type: 'Note', value: text }] })

async function start(t: Test) {
  const { url, db } = await service(t)
  for (const [index, [text]] of texts.entries())
    await addTemplates(db, { id: index, name: 'x', data: documentOf(text) })
  const token = await accessToken(url)
  const ask = async (text: string, variables = {}) => (await query(url, token, text, { variables })).body.data
  const find = async (search: string): Promise<number[]> => {
    const text =
      'query($search: String) { products(where: { search: $search }, orderBy: { field: ID, direction: ASC }) { nodes { id } } }'
    return (await ask(text, { search })).products.nodes.map(({ id }: { id: number }) => id)
  }
  return { db, ask, find }
}

t.test('a word inside a text without spaces is found', async t => {
  const { db, find } = await start(t)
  const templates = (await storedTemplates(db)).toSorted((one, other) => one.id - other.id)
  for (const [id, [, found, missed]] of texts.entries()) {
    for (const search of found) t.ok((await find(search)).includes(id), search)
    for (const search of missed) t.notOk((await find(search)).includes(id), search)
    for (const search of [...found, ...missed]) {
      const wanted = templates.filter(template => matches(template, { search })).map(({ id }) => id)
      t.same(await find(search), wanted, `${search}, as in plain words`)
    }
  }
})

t.test('a rule and a suggestion know these words too', async t => {
  const { db, ask } = await start(t)
  for (const [id, [, found]] of texts.entries())
    for (const search of found) {
      await users.update(db, user.email, { where: { search } })
      const { product } = await ask('query($id: Int!) { product(id: $id) { id } }', { id })
      t.same(product, { id }, search)
    }
  await users.update(db, user.email, { where: null })
  const suggest = async (search: string) =>
    (await ask('query($search: String!) { searchSuggestion(search: $search) }', { search })).searchSuggestion
  t.equal(await suggest('椅子ihpone칫솔'), '椅子 iphone 칫솔')
  t.equal(await suggest('椅子iphone칫솔'), null)
})

t.test('after an upgrade of Node.js with a newer ICU, the index is made again and stays in use', async t => {
  const { db, find } = await start(t)
  // As if the ICU of before had found no words.
  await sql`delete from product_search`.execute(db)
  await db
    .updateTable('product_template_index')
    .set({ version: indexVersion - 1 })
    .execute()
  t.same(await find('牙刷'), [], 'in use')
  const steps: string[] = []
  const options = { signal: new AbortController().signal, report: (what: string) => void steps.push(what) }
  await maintainIndex(db, options)
  await maintainIndex(db, options)
  t.same(steps, ['begin', 'end'])
  t.same(await find('牙刷'), [3])
  const state = await db
    .selectFrom('product_template_index')
    .select(['version', 'reached'])
    .executeTakeFirst()
  t.same(state, { version: indexVersion, reached: null })
  // The version of an instance that was already upgraded.
  await db
    .updateTable('product_template_index')
    .set({ version: indexVersion + 1 })
    .execute()
  await beginRebuild(db)
  await maintainIndex(db, options)
  t.same(steps, ['begin', 'end'], 'the rebuild is left to the upgraded instance')
  t.same(await find('牙刷'), [3])
})
