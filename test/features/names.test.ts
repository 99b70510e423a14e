// Runs on SQLite only.
/** The core names no feature: what a feature adds, it says itself. */
import { globSync, readFileSync } from 'node:fs'
import { t } from 'tap'
import { escapeName, lines, listNames, otherFolders } from './names.ts'

const root = new URL('../../', import.meta.url)
const layers = '{accounts,cli,db,domain,explorer,graphql,options,plugins,routes,runtime,terminal}'
const core = globSync(
  [`${layers}/**/*.{ts,tsx}`, '*.ts', 'features/{feature,load}.ts', 'graphql/core.graphql'],
  {
    cwd: root,
    exclude: ['**/node_modules']
  }
)
/** Fields of features that are also words of the core: it has users and clients, and functions that change them. */
const wordsOfCore = [
  ...['user', 'users', 'clients', 'inviteUser', 'updateUser', 'deleteUser', 'endSessions'],
  ...['addClient', 'updateClient', 'deleteClient']
]
const texts = core.map(file => [file, readFileSync(new URL(file, root), 'utf8')] as const)

/** Lists the files of the core that have one of these texts as a whole word, or as a whole string. */
function find(names: string[], kind: 'word' | 'string'): string[] {
  const escaped = names.map(name => escapeName(name)).join('|')
  const pattern = new RegExp(
    kind === 'word' ? `(?<![\\w-])(${escaped})(?![\\w-])` : `['"\`](${escaped})['"\`]`
  )
  return names.length === 0
    ? []
    : texts.flatMap(([file, text]) => {
        const [, name] = pattern.exec(text) ?? []
        return name === undefined ? [] : [`${file}: ${name}`]
      })
}

t.test(
  'the core has no name of a setting, a table, a command, an endpoint, an action, a metric, a field or a file format of a feature',
  async t => {
    t.ok(core.length > 200 && lines.length > 0)
    for (const { folder, feature } of lines) {
      const names = await listNames(feature)
      const { options, variables, flags, fileOptions, extensions, commands, tables } = names
      const { paths, actions, metrics, fields } = names
      const all = [
        ...options,
        ...variables,
        ...flags,
        ...fileOptions,
        ...tables,
        ...actions,
        ...metrics,
        ...fields.filter(name => !wordsOfCore.includes(name))
      ]
      // The name of a command alone may be a verb.
      const words = [...all, ...paths, ...commands.map(name => `product-templates ${name}`)]
      const found = [...find(words, 'word'), ...find([...extensions, ...commands], 'string')]
      t.same(found, [], `the feature ${folder} says it itself: see features/feature.ts`)
    }
  }
)

t.test('each folder of a feature is in the list', async t => {
  t.same(otherFolders, [], 'add a line to features/index.ts')
})

t.test('no two features have the same name of anything, or give what only one may give', async t => {
  const all = await Promise.all(lines.map(({ feature }) => listNames(feature)))
  for (const kind of [
    'options',
    'variables',
    'fileOptions',
    'extensions',
    'commands',
    'tables',
    'paths',
    'actions',
    'metrics',
    'fields',
    'unique'
  ] as const) {
    const names = all.flatMap(found => found[kind])
    t.same(names, [...new Set(names)], kind)
  }
})
