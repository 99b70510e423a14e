// Runs on SQLite only, in test:all only.
/** The recipes and the types of the client, in an empty project of others: their compilers, their options. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { t } from 'tap'
import { readRecipes } from '../client/recipes.ts'
import { directory } from '../support/database/database.ts'
import { withoutRunner } from '../support/service/process.ts'

const root = new URL('../../', import.meta.url).pathname
const run = (...words: string[]) => promisify(execFile)('env', [...withoutRunner, ...words], { cwd: root })

const folder = await directory(t)
const client = join(folder, 'node_modules/product-templates-client')
const compilers = {
  'TypeScript 5.9': 'test/clients/node_modules/typescript-5.9/bin/tsc',
  'TypeScript 6': 'test/clients/node_modules/typescript-6/bin/tsc',
  'TypeScript 7': 'node_modules/typescript/bin/tsc'
}
await run(
  compilers['TypeScript 7'],
  '--singleThreaded',
  '--project',
  'packages/client',
  '--outDir',
  `${client}/dist`
)
await cp(join(root, 'packages/client/package.json'), join(client, 'package.json'))
const packages = { '@types/node': '', 'gql.tada': '', graphql: '', '@urql/core': 'test/clients' }
for (const [name, from] of Object.entries(packages)) {
  await mkdir(join(folder, 'node_modules', name, '..'), { recursive: true })
  await symlink(join(root, from, 'node_modules', name), join(folder, 'node_modules', name))
}
await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
for (const [name, { code }] of readRecipes('https://a.example'))
  await writeFile(join(folder, `${name}.ts`), code)
const uses = await readFile(join(root, 'test/client/types/use.ts'), 'utf8')
await writeFile(
  join(folder, 'use.ts'),
  uses.replace("'../../../packages/client/index.ts'", "'product-templates-client'")
)

const strict = { strict: true, target: 'es2022', types: ['node'], noEmit: true }
const options = {
  plain: { ...strict, module: 'nodenext' },
  'for a bundler': { ...strict, module: 'esnext', moduleResolution: 'bundler' },
  'as `tsc --init` writes them': {
    ...strict,
    module: 'nodenext',
    target: 'esnext',
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    moduleDetection: 'force'
  },
  // It finds no `exports`. Later compilers do without it.
  'of old projects': { ...strict, module: 'esnext', moduleResolution: 'node' }
}

for (const [compiler, about, ...include] of [
  ['TypeScript 5.9', 'plain', '*.ts'],
  ['TypeScript 6', 'plain', '*.ts'],
  ['TypeScript 7', 'plain', '*.ts'],
  ['TypeScript 7', 'for a bundler', '*.ts'],
  ['TypeScript 7', 'as `tsc --init` writes them', '*.ts'],
  ['TypeScript 5.9', 'of old projects', 'use.ts', 'select.ts']
] as const)
  t.test(`${compiler}, options ${about}`, async t => {
    const config = { compilerOptions: options[about], include }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { stdout } = await run(compilers[compiler], '--project', folder).catch(error => error)
    t.equal(stdout, '')
  })
