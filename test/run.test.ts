// Runs on SQLite only.
/** The runner itself: green means green. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { t } from 'tap'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(`${root}node_modules/.cache/run-`)
t.teardown(() => rmSync(folder, { recursive: true }))

/** Writes a file with this code. Returns its path. */
function write(name: string, code: string, mark = 'on SQLite only'): string {
  const file = `${folder}/${name}.test.mjs`
  writeFileSync(file, `// Runs ${mark}.\nimport { t } from 'tap'\n${code}\n`)
  return file
}

/** Runs a file with this code. Returns the exit code and the last line. */
function run(name: string, code: string, env: NodeJS.ProcessEnv = {}): unknown[] {
  const file = write(name, code)
  const { status, stdout } = spawnSync(process.execPath, ['test/run.ts', file], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8'
  })
  return [status, stdout.trimEnd().split('\n').at(-1)]
}

t.test('a run succeeds only if each of its tests ran and passed', async t => {
  t.same(run('good', "t.pass('good')"), [0, '1 passed, 0 failed, 0 skipped'])
  t.same(run('wrong', "t.fail('wrong')"), [1, '0 passed, 1 failed, 0 skipped'])
  const hiding = "t.fail('wrong')\nprocess.on('exit', () => process.reallyExit(0))"
  t.same(run('hiding', hiding), [1, '0 passed, 1 failed, 0 skipped'])
  t.match(run('broken', "t.pass('good')\nprocess.kill(process.pid, 'SIGKILL')"), [1])
  t.match(run('empty', ''), [1])
  const skipped = "t.pass('good')\nt.pass('skipped', { skip: 'no browser' })"
  t.same(run('skipped', skipped), [0, '1 passed, 0 failed, 1 skipped'])
  t.same(run('skipped', skipped, { CI: 'true' }), [1, '1 passed, 0 failed, 1 skipped'])
})

t.test('a wrong file name is an error that names it', async t => {
  const { status, stderr } = spawnSync(process.execPath, ['test/run.ts', 'test/wrong.test.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH },
    encoding: 'utf8'
  })
  t.same([status, stderr], [2, 'there is no test in test/wrong.test.ts\n'])
})

t.test('a file may await something after the tests of another one have ended', async t => {
  const files = [
    write('quick', "t.teardown(() => {})\nt.test('quick', async t => t.pass('good'))"),
    write(
      'slow',
      "await new Promise(done => setTimeout(done, 100))\nt.test('slow', async t => t.fail('wrong'))"
    )
  ]
  const { status, stdout } = spawnSync(process.execPath, ['test/group.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, TEST_FILES: JSON.stringify(files) },
    encoding: 'utf8'
  })
  t.equal(status, 1)
  t.match(stdout, /^# \{ total: 2, pass: 1, fail: 1 \}$/m)
})

t.test('nothing runs beside a file that measures the processor', async t => {
  const log = `${folder}/log`
  const record = (name: string) => `import { appendFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(log)}, 'begin ${name}\\n')
    await new Promise(done => setTimeout(done, 200))
    t.pass('good')
    appendFileSync(${JSON.stringify(log)}, 'end ${name}\\n')`
  const files = [
    write('another', record('another')),
    write('measuring', record('measuring'), 'on SQLite only, undisturbed'),
    write('other', record('other'))
  ]
  const { status } = spawnSync(process.execPath, ['test/run.ts', '--jobs', '3', ...files], {
    cwd: root,
    env: { PATH: process.env.PATH }
  })
  t.equal(status, 0)
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  t.same(lines.slice(0, 2), ['begin measuring', 'end measuring'])
  t.equal(lines.length, 6)
})
