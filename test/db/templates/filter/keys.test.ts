// Runs on SQLite only.
import { t } from 'tap'
import { indexTerms, searchTerms } from '../../../../db/templates/filter/keys.ts'

t.test('the words of a text are distinct, in order and not too many', async t => {
  t.same(searchTerms('b a-b', 'A;c b'), ['b', 'a', 'c'])
  const words = Array.from({ length: 7000 }, (_, index) => `w${index}`)
  t.same(searchTerms(...words, ...words), words.slice(0, 5000))
})

t.test('words are found without case and accents, in any script', async t => {
  t.same(searchTerms('Zoë’s KELP-77', 'kelp ﬁne Straße', '日本の木 ΣΟΦΟΣ'), [
    'zoe',
    's',
    'kelp',
    '77',
    'fine',
    'straße',
    '日本',
    'の',
    '木',
    'σοφοσ'
  ])
  t.same(searchTerms(`${'a'.repeat(50)} ${'a'.repeat(45)}b`), ['a'.repeat(40)])
})

t.test('a compound is indexed as its words and as one word', async t => {
  t.same(indexTerms('OUT-1003 of 2026-11-28'), ['out', '1003', 'of', '2026', '11', '28', 'out1003'])
  t.same(indexTerms('kelp_77', 'Soft‑shell –'), ['kelp', '77', 'soft', 'shell', 'kelp77', 'softshell'])
  t.same(indexTerms(`a-${'b'.repeat(40)}`), ['a', 'b'.repeat(40)], 'not one that is too long')
  t.equal(indexTerms('-a'.repeat(300_000)).length, 1, 'in linear time')
})
