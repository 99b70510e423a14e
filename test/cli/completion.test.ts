// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** Completion in a real bash: the script is sourced twice and called as a shell does. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { t } from 'tap'
import { grantTypes } from '../../domain/rights.ts'
import { formatTable } from '../../terminal/result.ts'
import { directory } from '../support/database/database.ts'
import { NODE_COMPILE_CACHE } from '../support/environment.ts'
import { command, run } from '../support/service/process.ts'

t.test('bash completes commands, options, values and files, and runs nothing of what is typed', async t => {
  const folder = await directory(t)
  await writeFile(join(folder, 'some templates.json'), '')
  const lines = [
    [''],
    ['us'],
    ['user', 'passw'],
    ['user', 'add', '--co'],
    ['client', 'add', 'shop', '--grant', ''],
    ['serve', '--demo', '--log-level', 'd'],
    ['serve', '--shutdown-'],
    ['import', '--dry-run', 'so'],
    ['export', '--since', ''],
    ['user', '$(touch ran)', '`touch ran`', "it's"]
  ]
  const calls = lines.map(words => {
    const quoted = ['product-templates', ...words].map(word => `'${word.replaceAll("'", `'\\''`)}'`)
    return `COMP_WORDS=(${quoted.join(' ')}); COMP_CWORD=${words.length}; _product_templates 2>/dev/null
      (IFS='|'; echo "\${COMPREPLY[*]}")`
  })
  const script = `set -eu -o pipefail
product-templates() { '${command.join("' '")}' "$@"; }
for once in 1 2; do source <(product-templates completion bash); done
complete -p product-templates
set +e
${calls.join('\n')}
ls`
  const options = { cwd: folder, env: { PATH: process.env.PATH, NODE_COMPILE_CACHE } }
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], options)
  t.equal(stderr, '')
  const [registered, all = '', ...others] = stdout.trimEnd().split('\n')
  t.equal(registered, 'complete -F _product_templates product-templates')
  t.ok(['serve', 'user', 'config', 'completion'].every(name => all.split('|').includes(name)))
  t.same(others, [
    'user',
    'passwd',
    '--country|--config-file',
    grantTypes.join('|'),
    'debug',
    '--shutdown-delay|--shutdown-timeout',
    'some templates.json',
    '',
    '',
    'some templates.json'
  ])
})

t.test('there is a script for each shell, and no other', async t => {
  const { stdout: zsh } = await run(t, ['completion', 'zsh'])
  t.match(zsh, /^#compdef product-templates\n/)
  t.match((await run(t, ['completion', 'fish'])).stdout, /^complete -c product-templates -f -a /m)
  const refused = await run(t, ['completion', 'csh'])
  t.same([refused.code, refused.stderr], [2, 'product-templates: <shell> must be bash, zsh, fish\n'])
})

t.test('a table fits the terminal: the widest columns are cut', async t => {
  const table = [
    ['id', 'name', 'sha256'],
    ['1', 'short', 'f'.repeat(64)],
    ['2', '日本語のとても長い名前です', 'e'.repeat(64)]
  ]
  t.same(formatTable(table)[1], `1   short                       ${'f'.repeat(64)}`)
  t.same(formatTable(table, 40), [
    'id  name               sha256',
    `1   short              ${'f'.repeat(16)}…`,
    `2   日本語のとても長…  ${'e'.repeat(16)}…`
  ])
  t.same(
    formatTable(
      [
        ['a', 'b'],
        ['1', 'x'.repeat(50)]
      ],
      5
    ),
    ['a  b', '1  xxxxx…'],
    'never below six'
  )
})
