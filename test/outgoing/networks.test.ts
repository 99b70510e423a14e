// Runs on SQLite only, alone, in test:all only.
/** Pictures come from public addresses only, messages go to these, and to those that were checked. */
import type { LookupAddress } from 'node:dns'
import { BlockList } from 'node:net'
import { t } from 'tap'
import { mayConnect, toBlockList } from '../../runtime/outgoing.ts'

const nothing = new BlockList()

t.test('only public addresses', async t => {
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '172.32.0.1', '11.0.0.1'])
    t.ok(mayConnect(address, nothing), address)
  for (const address of [
    ...['127.0.0.1', '127.8.9.1', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::7f00:1',
      '4000::1',
      'fe80::1',
      'fc00::1',
      'fec0::1',
      '3fff::1'
    ],
    ...['fd12::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'not an address']
  ])
    t.notOk(mayConnect(address, nothing), address)
  t.ok(mayConnect('10.1.2.3', toBlockList('192.168.0.0/16, 10.1.0.0/16')))
  t.notOk(mayConnect('10.2.2.3', toBlockList('10.1.0.0/16')))
  t.ok(mayConnect('fd12::1', toBlockList('fd12::/16')))
})

t.test('the address that was checked is connected to, whatever the name becomes', async t => {
  const answers: LookupAddress[][] = [
    [{ address: '93.184.216.34', family: 4 }],
    [{ address: '127.0.0.1', family: 4 }],
    [
      { address: '93.184.216.34', family: 4 },
      { address: '::1', family: 6 }
    ],
    []
  ]
  const { makeGuardedLookup } = await t.mockImport<typeof import('../../runtime/outgoing.ts')>(
    '../../runtime/outgoing.ts',
    {
      'node:dns': {
        lookup: (_host: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
          done(null, answers.shift() as LookupAddress[])
      }
    }
  )
  const ask = (all: boolean) =>
    new Promise(resolve =>
      makeGuardedLookup(nothing)('pictures.example.com', { all }, (error, found) =>
        resolve(error?.message ?? found)
      )
    )
  t.equal(await ask(false), '93.184.216.34')
  for (const all of [false, true, true])
    t.equal(await ask(all), 'pictures.example.com has an address that is not public')
})
