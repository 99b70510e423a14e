import fc from 'fast-check'
import { t } from 'tap'
import { asciiWords } from '../../../db/templates/ascii-words.ts'
import { searchTerms } from '../../../db/templates/search-terms.ts'

/** What the words of an ASCII text are, in plain words. */
const wordsOf = (text: string, longest: number, most: number): string[] =>
  [...new Set((text.match(/[a-z0-9]+/g) ?? []).map(word => word.slice(0, longest)))].slice(0, most)

t.test('the words of an ASCII text are distinct, in order and not too long or too many', async t => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'z', '0', '9', ' ', '-', '`', '{', '/', ':'),
    maxLength: 300
  })
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 20 }),
      (text, longest, most) => {
        t.same(asciiWords(text, longest, most), wordsOf(text, longest, most), JSON.stringify(text))
      }
    ),
    { numRuns: 300 }
  )
  const many = Array.from({ length: 70_000 }, (_, index) => `w${index % 7000}`).join(' ')
  t.same(asciiWords(many, 40, 5000), wordsOf(many, 40, 5000), 'more words than count, in a text of many')
})

t.test('words are found without case and accents, in any script', async t => {
  t.same(searchTerms('Zoë’s KELP-77', 'kelp ﬁne Straße', '日本の木 ΣΟΦΟΣ'), [
    'zoe',
    's',
    'kelp',
    '77',
    'fine',
    'straße',
    '日本の木',
    'σοφοσ'
  ])
  t.same(searchTerms(`${'a'.repeat(50)} ${'a'.repeat(45)}b`), ['a'.repeat(40)])
})
