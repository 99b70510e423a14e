// Runs on SQLite only.
/** A feature cannot silently replace what the core or another feature gives under the same name. */
import { t } from 'tap'
import type { Feature } from '../../features/feature.ts'
import { boolean } from '../../options/setting.ts'

const load = async () => ({ command: { summary: '' } })

/** What is given, the file that joins it, and the message about it. */
const ofTwo: [Feature, string, string][] = [
  [{ tables: { product_probe: { key: ['id'] } } }, 'features/load.ts', 'tables product_probe'],
  [
    { metrics: { probes_total: { type: 'counter', help: '', labels: [] } } },
    'features/load.ts',
    'metrics probes_total'
  ],
  [{ auditActions: { 'probe.add': { label: '', verb: '' } } }, 'features/load.ts', 'actions probe.add'],
  [
    { migrations: { 'probe/0001': async () => ({ up: async () => {} }) } },
    'features/database.ts',
    'migrations probe/0001'
  ],
  [{ settings: { probe: boolean(false) } }, 'options/index.ts', 'settings probe'],
  [{ commands: { probe: load } }, 'cli/dispatch.ts', 'commands probe']
]
const ofCore: [Feature, string, string][] = [
  [{ tables: { product_user: { key: ['id'] } } }, 'features/load.ts', 'tables product_user'],
  [
    { metrics: { logins_total: { type: 'counter', help: '', labels: [] } } },
    'features/load.ts',
    'metrics logins_total'
  ],
  [{ settings: { port: boolean(false) } }, 'options/index.ts', 'settings port'],
  [{ commands: { serve: load } }, 'cli/dispatch.ts', 'commands serve']
]

const importWith = (file: string, features: Record<string, Feature>) =>
  t.mockImport(`../../${file}`, { '../../features/index.ts': features })

for (const [feature, file, name] of ofTwo)
  t.test(`two features cannot give the ${name}`, async t => {
    await t.rejects(importWith(file, { one: feature, other: feature }), { message: `there are two ${name}` })
  })

for (const [feature, file, name] of ofCore)
  t.test(`a feature cannot give the ${name} of the core`, async t => {
    await t.rejects(importWith(file, { one: feature }), { message: `there are two ${name}` })
  })

t.test('a feature cannot replace a subcommand of the core', async t => {
  const { loadCommands } = await importWith('cli/dispatch.ts', { one: { commands: { 'user add': load } } })
  await t.rejects(loadCommands('user'), { message: 'there are two commands user add' })
})
