// Runs on SQLite only.
import { t } from 'tap'
import { editTraits } from '../../domain/edit-traits.ts'

const a = { traitType: 'a', value: 1 }

const cases: [
  what: string,
  data: string,
  edits: Partial<Parameters<typeof editTraits>[1]>,
  wanted: string | undefined
][] = [
  ['the first value', '{}', { set: [a] }, '{"attributes": [{"trait_type":"a","value":1}]}'],
  ['an empty list', '{"attributes": [ ]}', { set: [a] }, '{"attributes": [{"trait_type":"a","value":1}]}'],
  ['nothing', '{"attributes": [ ]}', {}, '{"attributes": [ ]}'],
  ['nothing to remove', '{ "x" : 1.00 }', { remove: ['a'] }, '{ "x" : 1.00 }'],
  [
    'an equal value',
    '{"attributes":[{"value": 1.0 ,"trait_type":"a"}]}',
    { set: [a] },
    '{"attributes":[{"value": 1.0 ,"trait_type":"a"}]}'
  ],
  [
    'its first occurrence',
    '{"attributes":[{"trait_type":"a","value":0},{"trait_type":"a","value":0}]}',
    { set: [a] },
    '{"attributes":[{"trait_type":"a","value":1},{"trait_type":"a","value":0}]}'
  ],
  [
    'all occurrences',
    '{"attributes":[{"trait_type":"a"}, {"trait_type":"b"} ,{"trait_type":"a"}]}',
    { remove: ['a'] },
    '{"attributes":[{"trait_type":"b"}]}'
  ],
  [
    'other keys and numbers',
    '{"n":1e400,"attributes":[{"trait_type":"a","max":1.50,"value":"x"}],"m":[]}',
    { set: [a] },
    '{"n":1e400,"attributes":[{"trait_type":"a","max":1.50,"value":1}],"m":[]}'
  ],
  [
    'no value',
    '{"attributes":[{"trait_type":"a","value":0}]}',
    { set: [{ traitType: 'a' }] },
    '{"attributes":[{"trait_type":"a"}]}'
  ],
  [
    'the last of two lists',
    '{"attributes":[],"attributes":[{"trait_type":"b"}]}',
    { set: [a] },
    '{"attributes":[],"attributes":[{"trait_type":"b"},{"trait_type":"a","value":1}]}'
  ],
  [
    'a key that occurs twice',
    '{"attributes":[{"trait_type":"a","value":5,"value":0}]}',
    { set: [a] },
    '{"attributes":[{"trait_type":"a","value":5,"value":1}]}'
  ],
  [
    'odd entries',
    '{"attributes":[null,3,{"trait_type":7}]}',
    { set: [a], remove: ['b'] },
    '{"attributes":[null,3,{"trait_type":7},{"trait_type":"a","value":1}]}'
  ],
  [
    'a trait called like a key of objects',
    '{"attributes":[]}',
    { set: [{ traitType: '__proto__', value: 'x' }] },
    '{"attributes":[{"trait_type":"__proto__","value":"x"}]}'
  ],
  [
    'the white space of others',
    '{"attributes":[\n {"trait_type":"a","value":1}, {"trait_type":"b"},\n{"trait_type":"c"} ]}',
    { set: [a], remove: ['x'] },
    '{"attributes":[\n {"trait_type":"a","value":1}, {"trait_type":"b"},\n{"trait_type":"c"} ]}'
  ],
  [
    'numbers that JSON.stringify would change',
    '{"attributes":[{"trait_type":"a","max":1e400,"min":-0,"value":1}]}',
    { set: [a] },
    '{"attributes":[{"trait_type":"a","max":1e400,"min":-0,"value":1}]}'
  ],
  [
    'the last of two values, and no other',
    '{"attributes":[{"value":5,"trait_type":"a","value":0,"n":12345678901234567890}]}',
    { set: [a] },
    '{"attributes":[{"value":5,"trait_type":"a","value":1,"n":12345678901234567890}]}'
  ],
  [
    'both of two values that go',
    '{"attributes":[{"value":5,"trait_type":"a","value":0}]}',
    { set: [{ traitType: 'a', value: null }] },
    '{"attributes":[{"trait_type":"a"}]}'
  ],
  [
    'the first and the only one',
    '{"attributes": [ {"trait_type":"a"} , {"trait_type":"b"} ]}',
    { remove: ['a'] },
    '{"attributes": [ {"trait_type":"b"} ]}'
  ],
  ['all there are', '{"attributes": [ {"trait_type":"a"} ]}', { remove: ['a'] }, '{"attributes": [ ]}'],
  ['nothing without a list', '{"attributes":null}', { remove: ['a'] }, '{"attributes":null}'],
  ['no object', '[]', { set: [a] }, undefined],
  ['no JSON', '{"attributes":[', { set: [a] }, undefined],
  ['no list', '{"attributes":{}}', { set: [a] }, undefined],
  ['a comment', '{/* */}', { set: [a] }, undefined],
  ['a text that is too deep', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, { set: [a] }, undefined]
]

for (const [what, data, { set = [], remove = [] }, wanted] of cases)
  t.test(what, async t => {
    t.equal(editTraits(data, { set, remove }), wanted)
  })
