// Runs on SQLite only, in test:all only.
/** The checker of histories finds each kind of violation, and nothing in what is allowed. */
import { t } from 'tap'
import { findViolations } from './check.ts'
import type { Entry, Violation } from './history.ts'

type Times = [start: number, end: number]

const span = ([start, end]: Times) => ({ start, end })
const write = (value: number, times: Times, isAcknowledged = true): Entry => ({
  kind: 'write',
  key: 'k',
  value,
  isAcknowledged,
  ...span(times)
})
const read = (value: number, times: Times, isLast = false): Entry => ({
  kind: 'read',
  key: 'k',
  value,
  isLast,
  ...span(times)
})
const revoke = (times: Times, isAcknowledged = true): Entry => ({
  kind: 'revocation',
  token: 't',
  isAcknowledged,
  ...span(times)
})
const use = (isAccepted: boolean, times: Times): Entry => ({
  kind: 'use',
  token: 't',
  isAccepted,
  ...span(times)
})
const rotate = (token: string, isAccepted: boolean, times: Times): Entry => ({
  kind: 'rotation',
  token,
  isAccepted,
  ...span(times)
})

t.test('allowed histories', async t => {
  const allowed: Record<string, Entry[]> = {
    'what was acknowledged is read': [write(1, [0, 1]), write(2, [2, 3]), read(2, [4, 5])],
    'a read during a write shows it or not': [
      write(1, [0, 1]),
      write(2, [2, 9]),
      read(1, [3, 4]),
      read(2, [5, 6])
    ],
    'a read that began before the answer may show less': [
      write(1, [0, 1]),
      write(2, [2, 5]),
      read(1, [4, 9])
    ],
    'an unanswered write is there or not': [write(1, [0, 1]), write(2, [2, 3], false), read(1, [4, 5], true)],
    'an unanswered write may be there': [write(1, [0, 1]), write(2, [2, 3], false), read(2, [4, 5], true)],
    'nothing was written': [read(0, [0, 1])],
    'a token is used while it is revoked': [
      use(true, [0, 1]),
      revoke([2, 5]),
      use(true, [3, 9]),
      use(false, [3, 4])
    ],
    'an unanswered revocation counts or not': [revoke([0, 1], false), use(true, [2, 3]), use(false, [4, 5])],
    'a refresh token works after a refusal': [rotate('a', false, [0, 1]), rotate('a', true, [2, 3])],
    'each refresh token works once': [
      rotate('a', true, [0, 1]),
      rotate('b', true, [2, 3]),
      rotate('a', false, [4, 5])
    ]
  }
  for (const [name, history] of Object.entries(allowed)) t.same(findViolations(history), [], name)
})

t.test('each violation is found', async t => {
  const forbidden: [Violation['kind'], Entry[]][] = [
    ['a write is lost', [write(1, [0, 1]), read(0, [2, 3], true)]],
    ['a write is lost', [write(1, [0, 1]), write(2, [2, 3]), write(3, [4, 5], false), read(1, [6, 7], true)]],
    ['a read is stale', [write(1, [0, 1]), write(2, [2, 3]), read(1, [4, 5])]],
    ['a read is stale', [write(1, [0, 1]), read(0, [2, 3])]],
    ['a value was never written', [write(1, [0, 1]), read(2, [2, 3])]],
    ['a value was never written', [write(1, [4, 5]), read(1, [2, 3])]],
    ['a revoked token is accepted', [revoke([0, 1]), use(true, [2, 3])]],
    ['a revoked token is accepted', [revoke([0, 1]), revoke([4, 5], false), use(true, [2, 3])]],
    ['a valid token is refused', [revoke([4, 5]), use(false, [2, 3])]],
    ['a refresh token works twice', [rotate('a', true, [0, 1]), rotate('a', true, [2, 3])]],
    ['a refresh token works twice', [rotate('a', true, [0, 5]), rotate('a', true, [1, 3])]]
  ]
  for (const [kind, history] of forbidden)
    t.same(
      findViolations(history).map(violation => violation.kind),
      [kind],
      kind
    )
})

t.test('keys and tokens are apart, whatever their order', async t => {
  const other: Entry = { kind: 'write', key: 'other', value: 1, isAcknowledged: true, start: 0, end: 1 }
  t.same(findViolations([read(0, [2, 3]), other]), [])
  const [violation] = findViolations([read(0, [6, 7]), write(1, [4, 5]), other])
  t.same(violation, { kind: 'a read is stale', entry: read(0, [6, 7]) })
})
